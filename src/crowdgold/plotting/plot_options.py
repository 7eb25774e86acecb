"""The options that each plot reads, so that a slip in one is found before anything runs."""

OPTIONS: dict[str, tuple[str, ...]] = {
    "answer": ("answer", "baseline", "again", "labels"),
    "arena": ("baseline", "by", "labels", "metrics"),
    "error_and_width": ("metrics", "title", "x"),
    "coverage": ("titles",),
    "coverage_and_width": ("baseline", "metrics"),
    "labelling_efficiency": (
        "method", "baseline", "metric", "n", "n_gold", "saving", "contours", "cost_ratios",
        "votes", "gold_only", "gold_needs_votes",
    ),
    "relative_bias_table": ("baseline", "methods", "metrics", "tasks"),
    "score_shapes": ("not_drawn", "panels", "replicate", "shapes"),
    "ratios": ("method", "baseline", "x", "metric", "labels", "printed"),
    "sensitivity": ("method", "quantities"),
    "clara_prevalence": ("by", "methods", "metric", "names", "x"),
    "clara_recovery": ("method", "n", "printed", "tnr", "tpr"),
    "clara_days": ("labels", "replicate", "show"),
    "clara_policy": ("labels", "panels", "printed", "stand_in"),
    "agent_ablation": ("panels", "published", "quantity"),
    "agent_intervals": ("by", "names"),
    "agent_ablation_table": ("digits", "groups", "published", "quantity", "scale", "titles"),
    "agent_scores": ("title",),
    "agent_tables": ("numbers",),
    "agent_mappings": ("labels",),
    "judge_error_methods": ("columns", "only", "x"),
    "judge_error_simulation": ("prevalence", "printed_false_positives"),
    "label_variation": ("shown",),
    "soft_metric_correlations": ("printed",),
    "soft_metric_scores": ("printed",),
}  # fmt: skip
"""Plot -> its options; a plot that is not here has none."""

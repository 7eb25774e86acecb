"""Figures from tidy tables; nothing is computed here that is not in the table beside the figure."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.arena.plots.arena import draw_arena
from crowdgold.plotting.coverage import draw_coverage
from crowdgold.plotting.coverage_and_width import draw_coverage_and_width
from crowdgold.plotting.error_and_width import draw_error_and_width
from crowdgold.plotting.ratios import draw_ratios
from crowdgold.plotting.sensitivity import draw_sensitivity
from crowdgold.plotting.style import save_figure
from crowdgold.studies.answer.plots.answer import draw_answer
from crowdgold.studies.calibration.plots.rank_uniformity import draw_rank_uniformity
from crowdgold.studies.clara.plots.audits import draw_clara_audits
from crowdgold.studies.clara.plots.days import draw_clara_days
from crowdgold.studies.clara.plots.policy import draw_clara_policy
from crowdgold.studies.clara.plots.prevalence import draw_clara_prevalence
from crowdgold.studies.clara.plots.recovery import draw_clara_recovery
from crowdgold.studies.clara.plots.scores import draw_clara_scores
from crowdgold.studies.judge_error.plots.formula import draw_judge_error_formula
from crowdgold.studies.judge_error.plots.methods import draw_judge_error_methods
from crowdgold.studies.judge_error.plots.simulation import draw_judge_error_simulation
from crowdgold.studies.label_variation.plots.shares import draw_label_variation
from crowdgold.studies.maven.plots.labelling_efficiency import draw_labelling_efficiency
from crowdgold.studies.maven.plots.order_statistics import draw_order_statistics
from crowdgold.studies.maven.plots.relative_bias_table import draw_relative_bias_table
from crowdgold.studies.maven.plots.run_time import draw_run_time
from crowdgold.studies.maven.plots.score_shapes import draw_score_shapes
from crowdgold.studies.soft_metrics.plots.correlations import draw_soft_metric_correlations
from crowdgold.studies.soft_metrics.plots.curve import draw_soft_metric_curve
from crowdgold.studies.soft_metrics.plots.metric_study import draw_metric_study
from crowdgold.studies.soft_metrics.plots.scores import draw_soft_metric_scores
from crowdgold.studies.stableval.plots.agent_ablation import draw_agent_ablation
from crowdgold.studies.stableval.plots.agent_ablation_table import draw_agent_ablation_table
from crowdgold.studies.stableval.plots.agent_intervals import draw_agent_intervals
from crowdgold.studies.stableval.plots.agent_scores import draw_agent_scores
from crowdgold.studies.stableval.plots.agent_tables import draw_agent_mappings, draw_agent_tables

Plot = Callable[[pd.DataFrame, Mapping[str, Any]], tuple[Figure, pd.DataFrame]]

FIGURES: dict[str, Plot] = {
    "answer": draw_answer,
    "arena": draw_arena,
    "error_and_width": draw_error_and_width,
    "order_statistics": draw_order_statistics,
    "coverage": draw_coverage,
    "coverage_and_width": draw_coverage_and_width,
    "rank_uniformity": draw_rank_uniformity,
    "labelling_efficiency": draw_labelling_efficiency,
    "relative_bias_table": draw_relative_bias_table,
    "run_time": draw_run_time,
    "score_shapes": draw_score_shapes,
    "ratios": draw_ratios,
    "sensitivity": draw_sensitivity,
    "clara_prevalence": draw_clara_prevalence,
    "clara_recovery": draw_clara_recovery,
    "clara_audits": draw_clara_audits,
    "clara_days": draw_clara_days,
    "clara_scores": draw_clara_scores,
    "clara_policy": draw_clara_policy,
    "agent_ablation": draw_agent_ablation,
    "agent_intervals": draw_agent_intervals,
    "agent_ablation_table": draw_agent_ablation_table,
    "agent_scores": draw_agent_scores,
    "agent_tables": draw_agent_tables,
    "agent_mappings": draw_agent_mappings,
    "judge_error_formula": draw_judge_error_formula,
    "judge_error_methods": draw_judge_error_methods,
    "judge_error_simulation": draw_judge_error_simulation,
    "label_variation": draw_label_variation,
    "metric_study": draw_metric_study,
    "soft_metric_correlations": draw_soft_metric_correlations,
    "soft_metric_curve": draw_soft_metric_curve,
    "soft_metric_scores": draw_soft_metric_scores,
}
"""Plots by name: (table, options) -> the figure, and the rows that it shows."""


def draw(
    plot: str, table: pd.DataFrame, options: Mapping[str, Any], stem: Path, note: str = ""
) -> None:
    """Draw a figure and write STEM.svg, .pdf, .png and the .csv of what it shows.

    Args:
        plot: its name in `FIGURES`.
        table: what it is drawn from.
        options: the plot's own.
        stem: path without ending.
        note: a warning that stands at the foot of the figure.

    Raises:
        ValueError: where the table lacks what the plot needs.
    """
    figure, shown = FIGURES[plot](table, options)
    save_figure(figure, shown, stem, note)

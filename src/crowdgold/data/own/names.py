"""Names of columns: those of a study, and the names of others that they are guessed from."""

import re

IGNORE = "ignore"
PREFIXES = ("score", "gold", "stratum", "vote")
"""Columns of which there can be several, as PREFIX_NAME."""

ALIASES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "itemid", "task_id", "task", "example_id", "example", "document_id",
        "doc_id", "document", "doc", "text_id", "question_id", "sample_id", "unit_id", "unit",
        "uid", "id", "key",
    ),
    "annotator": (
        "annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id",
        "coder", "coder_id", "labeler", "labeller", "labeler_id", "reviewer", "reviewer_id",
        "judge", "judge_id", "user", "user_id", "username", "completed_by",
    ),
    "expert": ("expert", "expert_id", "adjudicator", "expert_name"),
    "gold": (
        "gold", "gold_label", "expert_label", "ground_truth", "true_label", "y_true", "label_gold",
        "label_true", "gold_standard",
    ),
    "votes_positive": (
        "votes_positive", "positive_votes", "votes_yes", "yes_votes", "n_positive",
        "num_positive", "n_yes", "upvotes",
    ),
    "votes_negative": (
        "votes_negative", "negative_votes", "votes_no", "no_votes", "n_negative", "num_negative",
        "n_no", "downvotes",
    ),
    "votes_total": (
        "votes_total", "total_votes", "n_votes", "num_votes", "votes", "n_raters", "num_raters",
        "n_annotators", "num_annotators",
    ),
    "score": (
        "score", "model_score", "prediction", "probability", "prob", "proba", "p_positive",
        "confidence", "logit",
    ),
    "label": (
        "label", "vote", "answer", "annotation", "rating", "judgement", "judgment", "choice",
        "verdict", "class",
    ),
    "model": (
        "model", "model_name", "model_id", "predictor", "classifier", "system", "system_id",
        "agent", "agent_id", "llm", "engine", "assistant", "variant",
    ),
    "stratum": ("stratum", "strata", "segment", "slice"),
    "weight": ("weight", "weights", "sampling_weight", "design_weight"),
    "group": ("group",),
    "cluster": ("cluster", "cluster_id"),
    "gold_probability": (
        "gold_probability", "inclusion_probability", "sampling_probability",
        "selection_probability",
    ),
    "gold_stratum": ("gold_stratum", "sampling_stratum"),
    "gold_stratum_size": ("gold_stratum_size", "sampling_stratum_size"),
    "gold_batch": ("gold_batch",),
    "gold_probability_estimated": ("gold_probability_estimated",),
}  # fmt: skip
"""Column of a study -> the names it is guessed from, likeliest first."""

OF_ANNOTATORS = ("confidence", "probability", "prediction")
"""Names of a score that are no model's where each row is an annotator's."""
PATTERNS = (
    (re.compile(r"(?i:gold|expert)_(\w+)"), "gold"),
    (re.compile(r"(?i:gold|expert|adjudicator)(\d+)"), "gold"),
    (re.compile(r"(?i:score)_(\w+)"), "score"),
    (re.compile(r"(?i:prob|proba|probability|prediction|pred)_(\w+)"), "score"),
    (re.compile(r"(\w+)_(?i:score|prob|proba|probability|prediction|pred)"), "score"),
    (re.compile(r"(?i:stratum|strata)_(\w+)"), "stratum"),
    (
        re.compile(r"(?i:vote|annotator|rater|coder|worker|judge|reviewer|label)_?(\d+|(?<=_)\w+)"),
        "vote",
    ),
)
"""Names of columns of which there can be several."""
OF_A_LABEL = (
    "id|name|no|nr|num|number|time|date|comments?|notes?|reason|at|text|count|total|type|status|"
    "available|reviewed|question|standard|confidence|sure|certainty|agree|agrees|agreed|agreement|flag|"
    "source|level|score|age|gender|female|male|education|country|language|experience|expertise"
)
"""What names of columns end with that say something of a label, or of who gave it."""
OF_ALL = (
    "gold|majority|true|truth|final|consensus|model|predicted|prediction|pred|aggregated|mode|mean|"
    "median|verdict"
)
"""The same of columns that are no one annotator's."""
NO_VOTE = re.compile(rf".*_(?:{OF_A_LABEL}|{OF_ALL})", re.IGNORECASE)
NO_GOLD = re.compile(rf".*_(?:{OF_A_LABEL})", re.IGNORECASE)
NO_SCORE = re.compile(r".*_(?:label|class|id|text|time)", re.IGNORECASE)
"""Names that a pattern would find, and that are no annotator's votes, gold labels or scores."""
NO_COLUMN = {"vote": NO_VOTE, "gold": NO_GOLD, "score": NO_SCORE}


def ours_named(name: str) -> bool:
    """Say whether a study has a column of this name."""
    stem, _, rest = name.partition("_")
    return name in ALIASES or name == IGNORE or (stem in PREFIXES and rest != "")


def normal(name: str) -> str:
    """A name of a column with underscores in the place of spaces, points and strokes."""
    return re.sub(r"[\s\-./]+", "_", name.strip())

"""A user's own study: every model, stratum and method, from one imputation a method and model.

The work is split into jobs (`jobs`), each a fit and what it says of a model (`fitting`), which run
in processes; what they find is joined to tables and headlines (`study`), and written to a folder
that a report can be made from (`folder`). In a workflow each job is one of its jobs (`in_jobs`).
"""

from crowdgold.own.evaluation.evaluated import Evaluation
from crowdgold.own.evaluation.files import (
    Source,
    check_study,
    evaluate_checked,
    read_and_check,
    write_evaluation,
)
from crowdgold.own.evaluation.folder import check_folder, check_same_items, kept_folder, mend
from crowdgold.own.evaluation.jobs import chosen_methods, is_quick
from crowdgold.own.evaluation.planned import UnsupportedError
from crowdgold.own.evaluation.questions import METRICS, STANDARD, Settings, read_thresholds
from crowdgold.own.evaluation.run_key import discard
from crowdgold.own.evaluation.study import evaluate_study

__all__ = [
    "METRICS",
    "STANDARD",
    "Evaluation",
    "Settings",
    "Source",
    "UnsupportedError",
    "check_folder",
    "check_same_items",
    "check_study",
    "chosen_methods",
    "discard",
    "evaluate_checked",
    "evaluate_study",
    "is_quick",
    "kept_folder",
    "mend",
    "read_and_check",
    "read_thresholds",
    "write_evaluation",
]

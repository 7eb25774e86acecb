"""`crowdgold check`: what votes, gold labels and scores can support, before anything is fitted."""

import argparse
import json
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.cli import terminal
from crowdgold.cli.study_file import parse
from crowdgold.reading.outputs import plain
from crowdgold.types.notes import with_codes
from crowdgold.types.parameters import SEED

if TYPE_CHECKING:
    from crowdgold.evaluation.questions import Settings

ABOUT = """\
Say what data can support before anything is fitted: how many votes items have and how far they
agree, the gold labels of each class and whether they look like a random sample of the items, the
range and ties of scores, annotators who cannot help; and for each estimator whether it is usable,
weak or not usable, why, and how to mend that.

FILES are one file with everything, or votes, gold labels and scores in files of their own, joined
by item: .csv, .tsv, .xlsx, .parquet, .jsonl, or what a labelling tool or an evaluation harness
writes: Label Studio, doccano, Argilla, Prodigy, Inspect, lm-eval, promptfoo, DeepEval, MLflow,
OpenAI evals. Or one study file, .yaml, that names them and holds options by their names.
  votes   item, annotator, label; or item, votes_positive, votes_total; or item and a column for
          each annotator, vote_NAME
  gold    item, gold; or item, label; with expert where there are several
  scores  item, score; or a column for each model, score_NAME
  both    stratum or stratum_NAME, weight, where wanted; gold_stratum, or gold_probability, where
          gold was not drawn by a simple random sample (files of `crowdgold sample` have them);
          cluster, where items belong together
Items without a score count for what needs no score. Where no column says that it names the items,
one that all files share does. Other names are guessed, which is said, or given by
--column THEIRS=OURS (FILE:THEIRS=OURS for one of the files; THEIRS=ignore passes a column over)."""
EXAMPLE = """\
example:
  $ crowdgold check votes.csv gold.csv scores.csv --column rater=annotator
  $ crowdgold check labels.csv --positive spam --positive scam --json > check.json
  $ crowdgold check study.yaml

study.yaml:
  files: [votes.csv, gold.csv, scores.csv]
  columns: {rater: annotator}

exit codes: 0, some estimator is usable or weak; 1, the data support none; 2, input that cannot be
used, with what is wrong and how to mend it."""
UNSUPPORTED = 1


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("--seed", type=int, default=SEED, help="of resamples and permutations")
    terminal.add_expert_error(command)
    command.add_argument("--verbose", action="store_true", help="say everything, with reasons")
    command.add_argument("--json", action="store_true", help="write one JSON object")
    terminal.add_study_options(command)


def _settings(asked: argparse.Namespace) -> "Settings":
    """How `crowdgold evaluate` will evaluate: as a study file says, where there is one."""
    from crowdgold.cli import evaluate, parser
    from crowdgold.evaluation.questions import Settings

    if asked.study_file is None:
        return Settings(seed=asked.seed, expert_error=str(asked.expert_error))
    words = ["evaluate", str(asked.study_file.path), "--out", "mine", "--seed", str(asked.seed)]
    top = parser(("evaluate",))
    return evaluate.settings_of(parse(top, [*words, "--expert-error", str(asked.expert_error)]))


def run(asked: argparse.Namespace) -> int:
    """Read the files, check them, and say what was found."""
    # Here: they take a second to load.
    from crowdgold.checking.study import check_data
    from crowdgold.checking.text import as_json, describe, describe_all
    from crowdgold.evaluation.study import foretell

    with terminal.progress(lambda: "reading and checking"):
        study = terminal.study_of(asked, asked.files).with_expert_error(asked.expert_error)
        check = check_data(study, np.random.default_rng(asked.seed))
        if check.supported:
            check = foretell(study, check, _settings(asked))
    terminal.say_notes(check.warnings, "Warning")
    if asked.json:
        files = [str(path) for path in asked.files]
        notes = with_codes("notes", study.notes)
        found = {"files": files, **notes, **plain(as_json(check))}
        terminal.tell(json.dumps({**found, "supported": check.supported, "seed": asked.seed}))
    else:
        told = (
            describe_all(check, study.notes)
            if asked.verbose
            else describe(check, study.notes, terminal.words_of_study(asked))
        )
        terminal.tell(told)
    if check.supported:
        return 0
    terminal.say("These data support no estimator; --verbose says what would.")
    return UNSUPPORTED

"""The parts of docs/coverage.md on all Bayesian estimators and on their samplers' calibration."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.fits import count_gate_failures, gate_sentence
from crowdgold.evaluation.summaries import coverage_band


def _cell(row: Mapping[Hashable, Any]) -> str:
    """Write a coverage; bold where it is below its binomial band."""
    low, _ = coverage_band(int(row["replicates"]), float(row["level"]))
    covered = f"{row['coverage']:.2f}"
    return f"**{covered}**" if row["coverage"] < low else covered


def _listed(verdicts: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for verdict in verdicts for line in verdict.splitlines())


def own_models_section(
    summary: pd.DataFrame, titles: Mapping[str, str], verdicts: Sequence[str]
) -> str:
    """Write how often the intervals of each estimator cover under each estimator's model.

    Args:
        summary: of one experiment a model.
        titles: experiment -> whose model it is.
        verdicts: the sentences of each experiment's verdict, a line each.
    """
    shown = summary[summary["replicates"] > 0]
    metrics = list(dict.fromkeys(shown["metric"]))
    rows = []
    for (experiment, method), own in shown.groupby(["experiment", "method"], sort=False):
        cells = {str(row["metric"]): _cell(row) for row in own.to_dict("records")}
        failed = f"{own['gate_failures'].max():.0f}"
        rows.append(
            [titles[str(experiment)], str(method), *(cells.get(m, "") for m in metrics), failed]
        )
    failures, fits = count_gate_failures(summary)
    return "\n".join(
        [
            "## Each model where it is true, and where another is\n",
            f"Coverage, {int(shown['replicates'].max())} replicates each, bold below the binomial "
            f"band; {gate_sentence(failures, fits)}.\n",
            markdown_table(["truth", "method", *metrics, "failed fits"], rows) + "\n",
            "What `make validate` holds against the band:\n",
            _listed(verdicts),
            "![Coverage under each model](gallery/maven_own_models.svg)\n",
        ]
    )


def calibration_section(ranks: pd.DataFrame, verdicts: Sequence[str]) -> str:
    """Write what simulation-based calibration says of the samplers.

    Args:
        ranks: rows of the check, of all samplers.
        verdicts: the sentences of each experiment's verdict, a line each.
    """
    fits = ranks.drop_duplicates(["experiment", "model", "replicate"])
    rows = [
        [str(model), f"{len(own)}", f"{int((~own['diagnostics_passed'].astype(bool)).sum())}"]
        for model, own in fits.groupby("model", sort=False)
    ]
    return "\n".join(
        [
            "## Do the samplers draw from the posterior they claim?\n",
            "Simulation-based calibration: parameters from the prior, data from the model, a fit, "
            "and the rank of what was drawn among the posterior's draws, which is uniform where "
            "the sampler is right; four planted bugs must be found out. Parameters from a wide "
            "prior make data that say little, where chains are slow: the fits that failed the "
            "gate are included.\n",
            markdown_table(["sampler", "fits", "failed the gate"], rows) + "\n",
            _listed(verdicts),
            "![Ranks less the uniform distribution](gallery/maven_calibration.svg)\n",
        ]
    )

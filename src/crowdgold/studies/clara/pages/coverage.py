"""The part of docs/coverage.md on CLARA: labels of annotators without gold."""

import pandas as pd

from crowdgold.documents.markdown import pivot, with_error
from crowdgold.evaluation.fits import count_gate_failures, gate_sentence

OWN, PRINTED, PREVALENCE = "CLARA", "CLARA-printed", "prevalence"


def _intervals(shown: pd.DataFrame) -> str:
    """Compare the published interval of the prevalence with the posterior's own."""
    rows = shown[shown["metric"] == PREVALENCE].to_dict("records")
    own, printed = (
        next(row for row in rows if row["method"] == method) for method in (OWN, PRINTED)
    )
    covered = {
        name: with_error(float(row["coverage"]), float(row["coverage_se"]))
        for name, row in ((OWN, own), (PRINTED, printed))
    }
    return (
        "The published interval of the prevalence is made of the quantiles of its mean given the "
        f"sampled labels (`{PRINTED}`). It is {printed['width'] / own['width']:.2f} times as wide "
        f"as the posterior's own (`{OWN}`), and covers {covered[PRINTED]} against {covered[OWN]}. "
        f"Take `{OWN}`; `{PRINTED}` is there to compare with the paper.\n"
    )


def clara_section(summary: pd.DataFrame, verdict: str) -> str:
    """Write the part on CLARA.

    Args:
        summary: of CLARA's coverage experiment.
        verdict: the sentences of its verdict, a line each.
    """
    shown = summary[summary["replicates"] > 0]
    failures, fits = count_gate_failures(summary)
    return "\n".join(
        [
            "## Labels without gold: CLARA\n",
            f"Coverage of nominal {float(shown['level'].iloc[0]):.0%} intervals on data from "
            f"CLARA's own generative process, {int(shown['replicates'].max())} replicates. "
            f"{gate_sentence(failures, fits)}.\n",
            pivot(shown, "coverage", "coverage_se", "method", "metric") + "\n",
            "What `make validate` holds against the binomial band at 3.5 deviations:\n",
            "".join(f"- {line}\n" for line in verdict.splitlines()),
            _intervals(shown),
            "![Coverage of CLARA's intervals](gallery/clara_coverage.svg)\n",
        ]
    )

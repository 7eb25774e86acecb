"""The page on time and memory: docs/scaling.md."""

import pandas as pd

from crowdgold.documents.markdown import markdown_table

JOINT_BARS = {"DS+S": 60, "H-AI": 180}
"""Seconds on two cores that a fit at 10,000 items may take."""
PEER = ("times ours", "difference")


def joint_section(table: pd.DataFrame) -> str:
    """Write what a fit of the models of votes and scores takes.

    Args:
        table: of `benchmarks/model_scaling.py`, of one n: 4 chains of 500 iterations after 500.
    """
    rows = []
    for row in table.to_dict("records"):
        bar = JOINT_BARS[row["method"].partition(",")[0]]
        gate = "passed" if row["passed"] else "failed"
        rows.append([row["method"], f"{row['inference']:.1f}", f"{bar}", gate])
    return "\n".join(
        [
            f"## Models of votes and scores at {int(table['n'].iloc[0]):,} items\n",
            "Seconds of one core for 4 chains of 500 iterations after 500 of warm-up; chains are "
            "independent, so that two cores take half. `compressed` is the default: scores are "
            "taken at few points, and posterior means stay within their Monte Carlo error (a test)."
            " The last column is the diagnostics gate.\n",
            markdown_table(["method", "seconds, one core", "wanted, two cores", "gate"], rows)
            + "\n",
        ]
    )


def study_section(table: pd.DataFrame) -> str:
    """Write what `crowdgold evaluate` takes.

    Args:
        table: of `benchmarks/own_study.py`.
    """
    command = table[table["bar"].notna()]
    rows = [
        [
            row["study"],
            f"{row['wall']:.0f}",
            f"{row['cpu']:.0f}",
            f"{row['peak MB']:,.0f}",
            f"{row['report MB']:.1f}",
            row["bar"],
        ]
        for row in command.to_dict("records")
    ]
    head = ["study", "seconds", "CPU seconds", "MB, all processes", "report, MB", "bars"]
    return "\n".join(
        [
            "## Evaluating your own model\n",
            f"`{command['stage'].iloc[0]}`: `small` is 10,000 items, two models and all methods, "
            "within 60 s and a report of 5 MB; `large` is 1,000,000 items with three votes, "
            "`MAVEN` and `GT`, within 300 s and 4 GB.\n",
            markdown_table(head, rows) + "\n",
        ]
    )


def em_section(table: pd.DataFrame) -> str:
    """Write what STABLEVAL's EM takes beside crowd-kit's.

    Args:
        table: of `benchmarks/confusion_em.py`.
    """
    rows = [
        [
            row["row"],
            f"{row['items']:,}",
            f"{row['seconds']:.3g}",
            f"{row['MB above']:,.3g}",
            *("" if pd.isna(row[name]) else f"{row[name]:.2g}" for name in PEER),
        ]
        for row in table.to_dict("records")
    ]
    return "\n".join(
        [
            "## EM for confusion matrices\n",
            "Five levels, five labels an item by 1,000 annotators, 20 steps, on one core after "
            "compilation; and one fit of STABLEVAL's synthetic study, 100 steps. crowd-kit's "
            "`DawidSkene` does the same work in the same run: how many times as long it takes, and "
            "the largest difference of a posterior probability.\n",
            markdown_table(["fit", "items", "seconds", "MB above the data", *PEER], rows) + "\n",
        ]
    )


def scaling_page(
    table: pd.DataFrame, joint: pd.DataFrame, study: pd.DataFrame, em: pd.DataFrame
) -> str:
    """Write the page on time and memory.

    Args:
        table: of `benchmarks/maven_scaling.py`: MAVEN against the number of items.
        joint, study, em: as `joint_section`, `study_section` and `em_section` take them.
    """
    parts = ["summary", "vote model", "score model", "inference", "imputation", "total", "peak MB"]
    rows = [
        [
            f"{int(row['n']):,}",
            *(f"{row[part]:.2f}" for part in parts[:-1]),
            f"{row['peak MB']:.0f}",
        ]
        for _, row in table.iterrows()
    ]
    first, ratio = table.iloc[0], table["nested score model"] / table["score model"]
    return "\n".join(
        [
            "# Time and memory\n",
            "One MAVEN estimate on one core: seconds by part, 500 imputed data sets, 17 metrics. "
            "Inference is the vote model (4 chains of 500 draws by Stan) and the score model (the "
            "exact cut); the summary and the imputation go with n. Made by `make docs`.\n",
            markdown_table(["n", *parts], rows) + "\n",
            f"Inference takes {table['inference'].min():.2f} to {table['inference'].max():.2f} s "
            f"over this range, and grows like n to the power {first['inference_exponent']:.2f}. "
            "The paper's way, nested fits by Stan, takes "
            f"{ratio.min():.0f} to {ratio.max():.0f} times as long for the score model as the "
            "exact cut, in the same run.\n",
            "![Seconds by part against the number of items](gallery/maven_scaling.svg)\n",
            joint_section(joint),
            em_section(em),
            study_section(study),
        ]
    )

"""What STABLEVAL's printed results rest on: shown beside what comes out otherwise."""

from collections.abc import Iterator

import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import Tables
from crowdgold.metrics.agents import ranks
from crowdgold.studies.stableval import agent_tables
from crowdgold.studies.stableval.pages.cells import DATASETS

CONVERGED = "{}_converged"
POSTERIORS, BOOTSTRAP = "stableval_posteriors", "stableval_bootstrap"


def both_runs(tables: Tables) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Each dataset's title and its rows: as published, and with a converged EM."""
    for experiment, title in DATASETS.items():
        if experiment in tables and CONVERGED.format(experiment) in tables:
            yield title, tables[experiment], tables[CONVERGED.format(experiment)]


def _scores(rows: pd.DataFrame, method: str) -> pd.Series:
    own = rows[(rows["metric"] == "score:each") & (rows["method"] == method)]
    return own.set_index("agent")["estimate"]


def _moves(before: pd.Series, after: pd.Series) -> Iterator[str]:
    """Name the agents whose score changes in the third digit, and how."""
    for agent in before.index:
        texts = [f"{scores[agent]:.3f}" for scores in (before, after)]
        if texts[0] != texts[1]:
            yield f"{agent} {' -> '.join(texts)}"


def _convergence(tables: Tables) -> Iterator[str]:
    lines = []
    for title, published, converged in both_runs(tables):
        before, after = _scores(published, "PEC"), _scores(converged, "PEC")
        after = after[before.index]
        moved = int((ranks(before.to_numpy()) != ranks(after.to_numpy())).sum())
        message = converged.loc[converged["method"] == "PEC", "diagnostics_message"].iloc[0]
        lines.append(
            [
                title,
                message.removeprefix("EM: "),
                ", ".join(_moves(before, after)) or "none in the third digit",
                f"{moved} of {len(before)}",
            ]
        )
    yield "### 100 EM steps have not converged\n"
    yield (
        "The published runs stop after 100 steps, all of them before the estimates stand still. "
        "Run until no entry of a confusion matrix moves by 1e-8:\n"
    )
    header = ["data", "EM needs", "PEC scores that move", "agents whose rank changes"]
    yield markdown_table(header, lines) + "\n"


def _ambiguity(tables: Tables) -> Iterator[str]:
    lines = []
    for experiment, title in DATASETS.items():
        if experiment in tables:
            found = agent_tables.findings(tables[experiment])["value"]
            lines.append([title, f"{found['mean ambiguity']:.3f}", f"{found['mean entropy']:.3f}"])
    yield "### Ambiguity is 1 - the largest posterior probability\n"
    yield "Section 5.3 calls it the entropy of the posterior, which is another number:\n"
    yield markdown_table(["data", "mean 1 - max (printed)", "mean entropy, nats"], lines) + "\n"


def _stabilities(tables: Tables) -> Iterator[str]:
    lines = []
    for experiment, title in DATASETS.items():
        if experiment not in tables:
            continue
        frame = agent_tables.stability(tables[experiment])
        lines += [
            [title, str(method), f"{row['rank_sd']:.3f}", f"{row['rank_range']:.3f}",
             with_error(row["stability"], row["stability_se"])]
            for method, row in frame.iterrows()
        ]  # fmt: skip
    yield "### Two quantities are called stability\n"
    yield (
        "Section 4.1 defines it as the expected Kendall tau-b between the ranking by all "
        "annotators and that by a subset: higher is better. Tables 9, 14, 20 and 26 print how far "
        "an agent's rank spreads among the subsets: lower is better, and a ranking that is always "
        "the same and always another than that by all annotators has none. Both on the 50 "
        "published draws, tau-b with its Monte Carlo error:\n"
    )
    header = ["data", "method", "rank spread (sd)", "rank range", "expected tau-b"]
    yield markdown_table(header, lines) + "\n"


def _bootstraps(tables: Tables) -> Iterator[str]:
    if BOOTSTRAP not in tables:
        return
    frame = tables[BOOTSTRAP]
    lines = []
    for (data, method), own in frame.groupby(["dataset", "method"], sort=False):
        width = (own["upper"] - own["lower"]).groupby(own["multiplicity"]).mean()
        lost = int(own.loc[~own["multiplicity"], "outside"].sum())
        ratio = float(width[False]) / float(width[True])
        wide = (f"{width[False]:.3f}", f"{width[True]:.3f}", f"{ratio:.2f}")
        lines.append([str(data), str(method), *wide, str(lost)])
    yield "### The published bootstrap loses multiplicity\n"
    yield (
        "It draws responses with replacement, keeps those that were drawn, each once, and fits the "
        "method to them. Its intervals are too narrow, and nothing ties them to the score of all "
        "responses: that of an agent whose responses are all alike lies outside its own interval "
        "(a test of `refitted_intervals` has the case); the last column counts such scores here. "
        "Mean widths over the agents, from the same draws:\n"
    )
    header = ["data", "method", "as published", "with multiplicity", "ratio", "scores outside"]
    yield markdown_table(header, lines) + "\n"


def _posteriors(tables: Tables) -> Iterator[str]:
    if POSTERIORS not in tables:
        return
    lines = [
        [row["dataset"], f"{row['responses']:,}", f"{row['difference']:.1e}"]
        for row in tables[POSTERIORS].to_dict("records")
    ]
    yield "### The published posteriors are ours\n"
    yield "Against the authors' result files, every response and level:\n"
    yield markdown_table(["data", "responses", "largest difference"], lines) + "\n"


def slips(tables: Tables) -> list[str]:
    """Write the sections on what the printed results rest on."""
    parts = (_posteriors, _convergence, _bootstraps, _ambiguity, _stabilities)
    return ["## What the printed results rest on\n", *(t for part in parts for t in part(tables))]

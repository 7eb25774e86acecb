"""Cells of STABLEVAL's printed tables beside ours, and what its printed results rest on.

Tables 4 to 7 of STABLEVAL, cell by cell: printed, on the published labels, on our own draws.

Tables of the coverage of intervals of agents' scores: the paper's, and those that we add.

What some of STABLEVAL's claims are about: tables and cells that no quantity gives.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, Tables, choose, markdown_table, only, with_error
from crowdgold.claims.cells import cells_of as cells_of_cells
from crowdgold.claims.verdicts import FAILS, HOLDS, Judgement
from crowdgold.experiment.summaries import standard_error, summarise
from crowdgold.methods.pec import EXPECTED_CREDIT, POSTERIOR
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.metrics.agents import ranks
from crowdgold.papers.stableval import tables as tables_module
from crowdgold.papers.stableval.tables import recovery, recovery_values, summarise_recovery

CONFIGURATION = "configuration"
OWN, PUBLISHED = "own", "published"
STUDY = {OWN: "stableval_synthetic", PUBLISHED: "stableval_synthetic_published"}
STABILITY_SYNTHETIC_TABLES = {
    OWN: "stableval_synthetic_stability",
    PUBLISHED: "stableval_synthetic_stability_published",
}
"""Experiments behind tables 4, 6 and 7, and behind table 5."""
TABLES = {
    "table_4": STUDY,
    "table_5": STABILITY_SYNTHETIC_TABLES,
    "table_6": STUDY,
    "table_7": STUDY,
}
CLEAR = 3.5
"""Joint standard errors: of 228 cells one is further away by chance with probability 0.1."""


class CellSyntheticTables(NamedTuple):
    """A cell: printed, ours on the published labels, ours on our own draws, in the table's unit.

    `error` is the standard error of our own draws, `away` their distance from the published labels'
    (or the printed) number in joint standard errors. What we do not have is NaN.
    """

    configuration: str
    method: str
    printed: float
    published: float
    own: float
    error: float
    away: float


def _values(table: pd.DataFrame | None, quantity: str, scale: float) -> pd.DataFrame:
    """Mean, se and replicates by configuration and method; empty where there is no table."""
    columns = ["mean", "se", "replicates"]
    if table is None:
        return pd.DataFrame(columns=columns)
    found = summarise_recovery(table, [CONFIGURATION])
    rows = found[found["quantity"] == quantity].set_index([CONFIGURATION, "method"])[columns]
    rows[["mean", "se"]] *= scale
    return rows


def cells_of(
    name: str, tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]
) -> list[CellSyntheticTables]:
    """The cells of a table.

    Args:
        name: a key of `TABLES`.
        tables: results tables by experiment; those that are missing leave NaN.
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    block, cells = printed[name], []
    ours = {
        whose: _values(tables.get(experiment), block["quantity"], block["scale"])
        for whose, experiment in TABLES[name].items()
    }
    for configuration, row in block["rows"].items():
        for method, value in zip(printed["methods"], row, strict=True):
            key = (configuration, method)
            own, given = (
                ours[whose].loc[key] if key in ours[whose].index else None
                for whose in (OWN, PUBLISHED)
            )
            mean, error, number = (np.nan,) * 3 if own is None else own
            centre = value if given is None else given["mean"]
            # By the spread of ours on both sides: seeds that are all right have none.
            other = error * np.sqrt(number / printed["repetitions"])
            joint = float(np.hypot(error, other))
            away = (mean - centre) / joint if joint > 0 else 0.0 if mean == centre else np.nan
            found = np.nan if given is None else float(given["mean"])
            cells.append(
                CellSyntheticTables(*key, value, found, float(mean), float(error), float(away))
            )
    return cells


def as_printed(cell: CellSyntheticTables, digits: int) -> bool:
    """Say whether the published labels give the printed digits."""
    return f"{cell.published:.{digits}f}" == f"{cell.printed:.{digits}f}"


def _texts(cell: CellSyntheticTables, digits: int) -> list[str]:
    """What stands in the two columns of a cell's method."""
    first = f"{cell.printed:.{digits}f}"
    if np.isfinite(cell.published) and not as_printed(cell, digits):
        first += f", **{cell.published:.{digits}f}**"
    if not np.isfinite(cell.own):
        return [first, ""]
    more = digits + 1
    away = "" if np.isnan(cell.away) else f" ({cell.away:+.1f})"
    return [first, f"{cell.own:.{more}f} ± {cell.error:.{more}f}{away}"]


def summary_of(cells: list[CellSyntheticTables], digits: int) -> str:
    """Say in a sentence how many cells come out."""
    known = [cell for cell in cells if np.isfinite(cell.published)]
    away = [abs(cell.away) for cell in cells if np.isfinite(cell.away)]
    parts = []
    if known:
        same = sum(as_printed(cell, digits) for cell in known)
        parts.append(
            f"On the published labels {same} of {len(known)} cells have the printed digits"
        )
    if away:
        far = sum(one > CLEAR for one in away)
        parts.append(
            f"of our own draws {far} of {len(away)} cells are more than {CLEAR:g} joint standard "
            f"errors away, the furthest {max(away):.1f}"
        )
    sentences = [f"{part[0].upper()}{part[1:]}." for part in parts]
    return " ".join(sentences) if parts else "Not made here."


def lean_of(name: str, tables: Mapping[str, pd.DataFrame], block: Mapping[str, Any]) -> str:
    """Say in a sentence how far all cells of ours together are from the published labels'.

    A published seed is shared by all configurations, so that the errors of its cells go together:
    what counts is the mean over the cells of a replicate. Empty where there is one of the two only.
    """
    means = {}
    for whose, experiment in TABLES[name].items():
        if experiment not in tables:
            return ""
        rows = recovery_values(tables[experiment], [CONFIGURATION])
        rows = rows[rows["quantity"] == block["quantity"]]
        means[whose] = rows.groupby("replicate")["value"].mean().to_numpy() * block["scale"]
    less = float(means[OWN].mean() - means[PUBLISHED].mean())
    error = float(np.hypot(standard_error(means[OWN]), standard_error(means[PUBLISHED])))
    away = f" ({abs(less) / error:.1f} standard errors)" if error > 0 else ""
    return (
        f" Cells of the published labels share their seeds, so that their errors go together: in "
        f"the mean over all cells ours less theirs is {with_error(less, error)}{away}."
    )


def cell_table(name: str, cells: list[CellSyntheticTables], printed: Mapping[str, Any]) -> str:
    """Write a table, a line a configuration and two columns a method."""
    block, methods = printed[name], printed["methods"]
    header = ["configuration"]
    for method in methods:
        header += [method, f"{method}, own draws"]
    rows = []
    for configuration in block["rows"]:
        own = {cell.method: cell for cell in cells if cell.configuration == configuration}
        texts = [text for method in methods for text in _texts(own[method], block["digits"])]
        rows.append([configuration, *texts])
    return markdown_table(header, rows)


def seconds(times: pd.DataFrame | None) -> str:
    """What the fits to the published labels took, in a sentence; DS and PEC share theirs."""
    if times is None or times.empty:
        return ""
    spent = times[times["method"].isin((MAJORITY.name, EXPECTED_CREDIT.name))]
    fits = int((spent["method"] == EXPECTED_CREDIT.name).sum())
    return (
        f" The {fits:,} fits to the published labels took {spent['seconds'].sum():.0f} s of one "
        "core, DS and PEC by one fit."
    )


def same_cells(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Say in a sentence how many cells of each table the published labels give as printed."""
    parts = []
    for name in TABLES:
        known = [one for one in cells_of(name, tables, printed) if np.isfinite(one.published)]
        same = sum(as_printed(one, printed[name]["digits"]) for one in known)
        if known:
            parts.append(f"{same} of {len(known)} of {name.replace('_', ' ')}")
    return f"Of the cells of the synthetic study the published labels give {', '.join(parts)}."


def sizes(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The replicates of our draws and of the published labels, of the study and of table 5."""
    names = [*STUDY.values(), *STABILITY_SYNTHETIC_TABLES.values()]
    return [str(tables[name]["replicate"].nunique()) if name in tables else "no" for name in names]


def synthetic_table(
    name: str, tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]
) -> str:
    """Write a table with its title, and how many of its cells come out."""
    cells = cells_of(name, tables, printed)
    summary = summary_of(cells, printed[name]["digits"]) + lean_of(name, tables, printed[name])
    return f"### {printed[name]['source']}\n\n{summary}\n\n{cell_table(name, cells, printed)}"


OWN_INTERVALS, TIED = "stableval_own_world", "stableval_correlated"
PRIOR = f"method_settings.{POSTERIOR.name}.prior"
AXES = {OWN_INTERVALS: ["quality", PRIOR], TIED: ["difficulty", "copying"]}
CONTROL = {"difficulty": "own", "copying": 0}
"""The setting of `stableval_correlated` in which labels are independent."""
AGENTS = {"equal": "agents alike", "wide": "agents differ"}
TARGETS = {
    "score:each": "the score of these answers",
    "expected_score:each": "the score over all possible answers",
}


def _summary(table: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    """Coverage with its error, by setting and method."""
    rows = summarise(table[table["metric"].isin(TARGETS)], axes)
    rows["text"] = [_share(*own) for own in rows[["coverage", "coverage_se"]].to_numpy()]
    return rows


def _share(value: float, error: float) -> str:
    return f"{value:.3f} ± {error:.3f}"


def _setting(difficulty: str, copying: float) -> str:
    """Name a setting of `stableval_correlated`."""
    return f"{difficulty} difficulty, {copying:.0%} copied"


HEADER = [
    "setting", "method", *(f"covers {words}" for words in TARGETS.values()), "bias of the former",
    "length", "failed fits",
]  # fmt: skip
PRIORS = {"agent": "a class prior each", "shared": "one class prior"}


def _own_line(quality: str, prior: str, method: str) -> list[str]:
    """Name a setting of `stableval_own_world` and the method."""
    own = f"{method}, {PRIORS[prior]}" if method == POSTERIOR.name else method
    return [AGENTS.get(quality, quality), own]


def _tied_line(difficulty: str, copying: float, method: str) -> list[str]:
    """Name a setting of `stableval_correlated` and the method."""
    control = (difficulty, copying) == tuple(CONTROL.values())
    return [_setting(difficulty, copying) + " (control)" * control, method]


def _numbers(own: pd.DataFrame) -> list[str]:
    """Coverage of both targets, bias and length for the first, and the fits that failed."""
    rows = {str(row["metric"]): row for row in own.to_dict("records")}
    first = next(iter(rows.values()))
    covered = [str(rows[metric]["text"]) if metric in rows else "" for metric in TARGETS]
    failed, fits = first["gate_failures"], first["replicates"] + first["undefined"]
    bias = with_error(float(first["bias"]), float(first["bias_se"]))
    return [*covered, bias, f"{float(first['width']):.3f}", f"{failed} of {fits}"]


def interval_tables(tables: Tables) -> str:
    """Write the tables of coverage by setting and method, with the fits that failed their gate."""
    parts = ["### Intervals of agents' scores\n"]
    worlds: dict[str, tuple[str, Callable[..., list[str]]]] = {
        OWN_INTERVALS: ("Labels independent given the level", _own_line),
        TIED: ("Labels that share their response's difficulty, or are copied", _tied_line),
    }
    for name, (title, line) in worlds.items():
        if name not in tables:
            parts.append(f"{title}: not made here: {name}.\n")
            continue
        rows = _summary(tables[name], AXES[name])
        if name == OWN_INTERVALS:
            # The bootstraps know nothing of the posterior's prior.
            rows = rows[(rows["method"] == POSTERIOR.name) | (rows[PRIOR] == "agent")]
        groups = rows.groupby([*AXES[name], "method"], sort=False)
        lines = [[*line(*key), *_numbers(own)] for key, own in groups]
        replicates = tables[name]["replicate"].nunique()
        parts += [
            f"{title}; {replicates} replicates in each setting, of six agents each:\n",
            markdown_table(HEADER, lines) + "\n",
        ]
    return "\n".join(parts)


SAME, DIFFERS, ABSENT = "same", "differs", "not made here"
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")


def written_like(printed: str, values: Sequence[float]) -> str:
    """Write numbers as a printed cell has its own: sign, decimals, thousands and per cent.

    Args:
        printed: the printed cell, such as "79 (8.23%)".
        values: a number for each of those in it; a share where a per cent is printed.

    Raises:
        ValueError: where the cell has another number of numbers.
    """
    found = NUMBER.findall(printed)
    if len(found) != len(values):
        raise ValueError(f"{printed!r} has {len(found)} numbers; expected {len(values)}")
    rest = iter(zip(found, values, strict=True))

    def write(match: re.Match[str]) -> str:
        text, value = next(rest)
        percent = text.endswith("%")
        decimals = len(text.rstrip("%").partition(".")[2])
        shown = round(100 * value if percent else value, decimals)
        sign = "+" if text[0] in "+-" else ""
        # A number that rounds to zero has no sign of its own.
        written = f"{shown if shown else 0.0:{sign},.{decimals}f}"
        return (written if "," in text else written.replace(",", "")) + "%" * percent

    return NUMBER.sub(write, printed)


@dataclass(frozen=True)
class Cell:
    """A printed cell and ours.

    Attributes:
        table: number of the printed table.
        row, column: where it stands.
        printed: its text.
        ours: our numbers, written likewise; empty where we have none.
    """

    table: int
    row: str
    column: str
    printed: str
    ours: str

    @property
    def verdict(self) -> str:
        """Say whether they are the same."""
        return (SAME if self.ours == self.printed else DIFFERS) if self.ours else ABSENT


Values = Mapping[tuple[str, str], Sequence[float]]
"""(row, column) -> our numbers."""


def compare_cells(printed: pd.DataFrame, values: Mapping[int, Values]) -> list[Cell]:
    """Hold printed cells against ours.

    Args:
        printed: columns table, row, column, printed: a row a cell, as text.
        values: table -> our numbers; cells of other tables are not made here.
    """
    cells = []
    for row in printed.itertuples():
        table, where = int(str(row.table)), (str(row.row), str(row.column))
        ours = values.get(table, {}).get(where)
        text = "" if ours is None else written_like(str(row.printed), ours)
        cells.append(Cell(table, *where, str(row.printed), text))
    return cells


DATASETS = {
    "stableval_mt_bench": "MT-Bench",
    "stableval_convabuse": "ConvAbuse",
    "stableval_qags": "QAGS",
    "stableval_mslr": "MSLR",
}
"""Experiment -> its dataset's name, in the order of the paper."""
MAPPINGS = "stableval_mappings"


def _plain(frame: pd.DataFrame) -> Values:
    """Each number of a frame by its row and column."""
    return {
        (str(row), str(column)): (float(frame.loc[row, column]),)
        for row in frame.index
        for column in frame.columns
    }


def _findings(rows: pd.DataFrame) -> Values:
    found = tables_module.findings(rows)["value"]
    values: dict[tuple[str, str], tuple[float, ...]] = {
        (str(name), "value"): (float(value),) for name, value in found.items()
    }
    both = {
        "agents with another rank": ("agents with another rank", "agents"),
        "highly ambiguous": ("highly ambiguous", "share highly ambiguous"),
    }
    for name, parts in both.items():
        values[name, "value"] = tuple(float(found[part]) for part in parts)
    return values


def _mappings(rows: pd.DataFrame) -> Values:
    scores, ranked = tables_module.mappings(rows)
    return {
        (str(agent), str(mapping)): (float(scores.loc[agent, mapping]), ranked.loc[agent, mapping])
        for agent in scores.index
        for mapping in scores.columns
    }


def _of(frame: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], Values]:
    return lambda rows: _plain(frame(rows))


STATISTICS, SCORES = _of(tables_module.statistics), _of(tables_module.scores)
STABILITY, QUALITY = _of(tables_module.stability), _of(tables_module.quality)
AMBIGUOUS = _of(tables_module.ambiguous)

Source = tuple[str, Callable[[pd.DataFrame], Values]]


def _in_order(experiment: str, statistics: int, first: int) -> dict[int, Source]:
    """The tables of a dataset: its statistics, and five in a row from `first` on."""
    kinds = (SCORES, STABILITY, QUALITY, AMBIGUOUS, _findings)
    rest = {first + place: (experiment, kind) for place, kind in enumerate(kinds)}
    return {statistics: (experiment, STATISTICS), **rest}


SOURCES: Mapping[int, Source] = {
    **_in_order("stableval_mt_bench", 1, 8),
    **_in_order("stableval_convabuse", 2, 13),
    **_in_order("stableval_qags", 18, 19),
    **_in_order("stableval_mslr", 24, 25),
    3: (MAPPINGS, _mappings),
}
"""Number of a table -> the experiment it is made from, and how."""


def our_values(tables: Tables) -> dict[int, Values]:
    """Our numbers of each table whose experiment is there."""
    return {
        number: make(tables[experiment])
        for number, (experiment, make) in SOURCES.items()
        if experiment in tables
    }


PEC = EXPECTED_CREDIT.name
CONVERGED = "{}_converged"


def both_runs(tables: Tables) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Each dataset's title and its rows: as published, and with a converged EM."""
    for experiment, title in DATASETS.items():
        if experiment in tables and CONVERGED.format(experiment) in tables:
            yield title, tables[experiment], tables[CONVERGED.format(experiment)]


def scores(rows: pd.DataFrame, method: str) -> pd.Series:
    """A method's score of each agent."""
    own = rows[(rows["metric"] == "score:each") & (rows["method"] == method)]
    return own.set_index("agent")["estimate"]


def _moves(before: pd.Series, after: pd.Series) -> Iterator[str]:
    """Name the agents whose score changes in the third digit, and how."""
    for agent in before.index:
        texts = [f"{scores[agent]:.3f}" for scores in (before, after)]
        if texts[0] != texts[1]:
            yield f"{agent} {' -> '.join(texts)}"


def convergence(tables: Tables) -> list[list[str]]:
    """Rows of what a converged EM takes and changes: data, steps, scores and ranks that move."""
    lines = []
    for title, published, converged in both_runs(tables):
        before, after = (
            scores(published, PEC),
            scores(converged, PEC),
        )
        after = after[before.index]
        moved = int((ranks(before.to_numpy()) != ranks(after.to_numpy())).sum())
        message = converged.loc[converged["method"] == PEC, "diagnostics_message"].iloc[0]
        moves = ", ".join(_moves(before, after)) or "none in the third digit"
        lines.append([title, message.removeprefix("EM: "), moves, f"{moved} of {len(before)}"])
    return lines


def bootstraps(frame: pd.DataFrame) -> list[list[str]]:
    """Rows of mean widths by data and method: as published, with multiplicity, and scores lost."""
    lines = []
    for (data, method), own in frame.groupby(["dataset", "method"], sort=False):
        width = (own["upper"] - own["lower"]).groupby(own["multiplicity"]).mean()
        lost = int(own.loc[~own["multiplicity"], "outside"].sum())
        ratio = float(width[False]) / float(width[True])
        wide = (f"{width[False]:.3f}", f"{width[True]:.3f}", f"{ratio:.2f}")
        lines.append([str(data), str(method), *wide, str(lost)])
    return lines


def score_changes(tables: Tables) -> Cells:
    """The largest change of a PEC score on each data set where the EM runs until it converged."""
    changes = {
        title: float((scores(published, PEC) - scores(converged, PEC)).abs().max())
        for title, published, converged in both_runs(tables)
    }
    title = "largest change of a score where the EM runs on until it has converged"
    return cells_of_cells(title, list(changes), list(changes.values()))


def lead(tables: Tables, best: str, draws: int) -> Cells:
    """How much larger a method's expected tau-b is than that of each other.

    Args:
        best: the method.
        draws: subsets of annotators that each is over.
    """
    frame = tables_module.stability(only(tables))
    tau, error = frame["stability"], frame["stability_se"]
    text = ", ".join(f"{name} {with_error(tau[name], error[name])}" for name in frame.index)
    others = tau.index.drop(best)
    # Each method is fitted to subsets of its own, so that errors are independent.
    apart = np.hypot(error[others], error[best])
    names = [f"{best} less {name}" for name in others]
    return cells_of_cells(text, names, tau[best] - tau[others], apart, None, draws)


def one_exchange(tables: Tables, mapping: str, agents: list[str]) -> Judgement:
    """Whether these agents change places under a mapping of ties, and no others under any."""
    _, ranked = tables_module.mappings(only(tables))
    moved = ranked.ne(ranked["baseline"], axis=0)
    changed = {str(name): list(moved.index[moved[name]]) for name in moved if moved[name].any()}
    text = "; ".join(f"{name}: {', '.join(map(str, own))}" for name, own in changed.items())
    alone = list(changed) == [mapping] and set(changed[mapping]) == set(agents)
    return Judgement(text or "none", HOLDS if alone else FAILS, "", "exact")


def recovered(tables: Tables, study: str = "") -> pd.DataFrame:
    """How well scores recover the true ranking in each replicate of each configuration.

    Args:
        study: whose table is meant; without it there is one.
    """
    return recovery(tables[study] if study else only(tables), ["configuration"])


def caption(
    tables: Tables, said: Mapping[str, Mapping[str, float]], seeds: int, quantity: str = "mse"
) -> Cells:
    """Means of a quantity less what a caption says of them: configuration -> method -> value.

    The first of the tables is meant. Of all the published seeds they are exact; of some of them
    their error is not known.
    """
    rows = recovered(tables, next(iter(tables)))
    means = rows.groupby(["configuration", "method"])[quantity].mean()
    keys = [(name, method) for name, row in said.items() for method in row]
    ours = [float(means[key]) for key in keys]
    text = ", ".join(f"{key[1]} {one:.5f}" for key, one in zip(keys, ours, strict=True))
    names = [f"{method} ({name})" for name, method in keys]
    less = [one - said[name][method] for one, (name, method) in zip(ours, keys, strict=True)]
    return _of_seeds(text, names, less, rows, seeds)


def _of_seeds(
    title: str, names: list[str], values: list[float], rows: pd.DataFrame, seeds: int
) -> Cells:
    """Cells of means over the published seeds: exact where all are there, else not known."""
    size = rows["replicate"].nunique()
    errors = None if size == seeds else [np.nan] * len(values)
    return cells_of_cells(title, names, values, errors, None, np.nan if size == seeds else size)


def accuracies(
    tables: Tables, where: Mapping[str, Any], seeds: int = 0, less: Mapping[str, Any] | None = None
) -> Cells:
    """Mean ranking accuracy by configuration and method, less that of one of them where it is so.

    Args:
        where: which are meant (`choose`).
        seeds: of the published labels, of all of which means are exact; 0 for our own draws.
        less: the one.
    """
    rows = recovery(tables[STUDY[PUBLISHED if seeds else OWN]], [CONFIGURATION])
    keys, quantity = [CONFIGURATION, "method"], "ranking_accuracy"
    found = choose(rows, where).groupby(keys, sort=False)[quantity].agg(["mean", "sem"])
    values, errors = found["mean"].to_numpy(), found["sem"].to_numpy()
    if less:
        base = choose(rows, less)[quantity]
        values, errors = values - base.mean(), np.hypot(errors, np.asarray(base.sem()))
    names = [f"{method} {configuration}" for configuration, method in found.index]
    title = "on the published labels" if seeds else "on our own draws"
    if seeds:
        return _of_seeds(title, names, list(values), rows, seeds)
    return cells_of_cells(title, names, values, errors, None, rows["replicate"].nunique())


def hours(tables: Tables) -> Cells:
    """The hours that all fits of the study take, one after the other."""
    spent = only(tables)["seconds"].sum() / 3600
    return cells_of_cells("hours of all fits, one after the other", [""], [spent])


def nearer_to_narrow(tables: Tables, said: float) -> Cells:
    """How much nearer the MSE of the narrow qualities is to a caption's than that of the wide."""
    means = recovered(tables).groupby(["configuration", "method"])["mse"].mean()
    narrow, wide = means["gaps_tight", "DS"], means["gaps_wide", "DS"]
    title = (
        f"MSE of DS {narrow:.5f} for qualities .75 to .50, {wide:.5f} for .85 to .20; the caption "
        f"gives {said} to the latter"
    )
    return cells_of_cells(title, [""], [abs(wide - said) - abs(narrow - said)])


def table_5(
    tables: Tables, block: Mapping[str, Any], methods: list[str], seeds: int
) -> pd.DataFrame:
    """What is printed of table 5: `mean` and `se` by configuration and method, over the seeds."""
    rows = [
        [name, *one]
        for name, means in block["rows"].items()
        for one in zip(methods, means, block["standard_errors"][name], strict=True)
    ]
    found = pd.DataFrame(rows, columns=["configuration", "method", "mean", "se"])
    return found.assign(replicates=seeds)


def settings_named(tables: Tables) -> pd.DataFrame:
    """A table of intervals, with the name of its `setting` and whether each is `inside`."""
    table = only(tables)
    found = table.assign(inside=table["truth"].between(table["lower"], table["upper"]) * 1.0)
    if "copying" in table:
        copied = table["copying"].map("{:.0%} copied".format)
        found["setting"] = table["difficulty"] + " difficulty, " + copied
    return found

"""STABLEVAL's printed cells beside ours, the tables of its page, and cells for its claims.

Tables 4 to 7 are of its synthetic study: a printed cell stands beside ours on the `PUBLISHED`
labels, which are drawn from the published seeds, and on our `OWN` draws. The other tables are of
real data. At the end are tables and cells for claims that no common quantity gives (`own:` in
claims.yaml).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, Tables, cells_of, choose, markdown_table, only, with_error
from crowdgold.claims.verdicts import FAILS, HOLDS, Judgement
from crowdgold.experiment.summaries import standard_error, summarise
from crowdgold.methods.pec import EXPECTED_CREDIT, POSTERIOR
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.metrics.agents import ranks
from crowdgold.papers.stableval import tables as paper_tables
from crowdgold.papers.stableval.tables import recovery, recovery_values, summarise_recovery

CONFIGURATION = "configuration"
OWN, PUBLISHED = "own", "published"
STUDY = {OWN: "stableval_synthetic", PUBLISHED: "stableval_synthetic_published"}
STABILITY_STUDY = {
    OWN: "stableval_synthetic_stability",
    PUBLISHED: "stableval_synthetic_stability_published",
}
TABLES = {"table_4": STUDY, "table_5": STABILITY_STUDY, "table_6": STUDY, "table_7": STUDY}
"""The experiments behind each table of the synthetic study."""
CLEAR = 3.5
"""Joint standard errors beyond which a cell is far off; by chance one of 228 is in 1 of 10 runs."""


class SyntheticCell(NamedTuple):
    """A cell: printed, ours on the published labels, ours on our own draws, in the table's unit.

    `published` is the cell as the published code has it: of a column that repeats another it is the
    other's. `fitted` is the method's own number. `error` is the standard error of our own draws.
    `away` is their distance from `fitted`, or else from the printed number, in joint standard
    errors. NaN: not there.
    """

    configuration: str
    method: str
    printed: float
    published: float
    fitted: float
    own: float
    error: float
    away: float


def synthetic_cells(name: str, tables: Tables, printed: Mapping[str, Any]) -> list[SyntheticCell]:
    """The cells of a key of `TABLES`; experiments that are missing leave NaN.

    `printed` is config/printed/stableval_synthetic.yaml.
    """
    block, columns = printed[name], ["mean", "se", "replicates"]
    keys = pd.MultiIndex.from_product([block["rows"], printed["methods"]])
    ours = {}
    for whose, experiment in TABLES[name].items():
        ours[whose] = pd.DataFrame(columns=columns, index=keys, dtype=float)
        if experiment in tables:
            found = summarise_recovery(tables[experiment], [CONFIGURATION])
            rows = found[found["quantity"] == block["quantity"]]
            ours[whose] = rows.set_index([CONFIGURATION, "method"])[columns].reindex(keys)
            ours[whose][["mean", "se"]] *= block["scale"]
    values, fitted = np.concatenate(list(block["rows"].values())), ours[PUBLISHED]["mean"]
    sources = [(key, block.get("repeats", {}).get(method, method)) for key, method in keys]
    published = fitted.reindex(sources)
    mean, error, number = (ours[OWN][column] for column in columns)
    difference = mean - fitted.fillna(pd.Series(values, keys))
    # By the spread of our draws for both numbers: published seeds that are all right have none.
    joint = np.hypot(error, error * np.sqrt(number / printed["repetitions"]))
    away = (difference / joint.where(joint > 0)).mask((difference == 0) & ~(joint > 0), 0.0)
    numbers = zip(values, published, fitted, mean, error, away, strict=True)
    return [SyntheticCell(*key, *map(float, row)) for key, row in zip(keys, numbers, strict=True)]


def as_printed(cell: SyntheticCell, digits: int) -> bool:
    """Whether the published labels give the printed digits."""
    return f"{cell.published:.{digits}f}" == f"{cell.printed:.{digits}f}"


def summary_of(cells: list[SyntheticCell], digits: int) -> str:
    """How many cells agree, in a sentence or two."""
    known = [cell for cell in cells if np.isfinite(cell.published)]
    away = [abs(cell.away) for cell in cells if np.isfinite(cell.away)]
    sentences = []
    if known:
        same = sum(as_printed(cell, digits) for cell in known)
        sentences.append(
            f"On the published labels {same} of {len(known)} cells have the printed digits."
        )
    if away:
        far = sum(one > CLEAR for one in away)
        sentences.append(
            f"Of our own draws {far} of {len(away)} cells are more than {CLEAR:g} joint standard "
            f"errors away, the furthest {max(away):.1f}."
        )
    return " ".join(sentences) or "Not made here."


def lean_of(name: str, tables: Tables, block: Mapping[str, Any]) -> str:
    """How far the mean of all our cells is from that on the published labels, in a sentence.

    All configurations share the published seeds, so that the errors of their cells go together: the
    standard errors are those of a replicate's mean over cells. Empty without both tables.
    """
    means = {}
    for whose, experiment in TABLES[name].items():
        if experiment not in tables:
            return ""
        rows = recovery_values(tables[experiment], [CONFIGURATION])
        rows = rows[rows["quantity"] == block["quantity"]]
        means[whose] = rows.groupby("replicate")["value"].mean().to_numpy() * block["scale"]
    difference = float(means[OWN].mean() - means[PUBLISHED].mean())
    error = float(np.hypot(standard_error(means[OWN]), standard_error(means[PUBLISHED])))
    away = f" ({abs(difference) / error:.1f} standard errors)" if error > 0 else ""
    return (
        f" Cells of the published labels share their seeds, so that their errors go together: in "
        f"the mean over all cells ours less theirs is {with_error(difference, error)}{away}."
    )


def _texts(cell: SyntheticCell, digits: int) -> list[str]:
    """The texts of a cell in its method's two columns: printed, and our own draws."""
    first = f"{cell.printed:.{digits}f}"
    if np.isfinite(cell.published) and not as_printed(cell, digits):
        first += f", **{cell.published:.{digits}f}**"
    if not np.isfinite(cell.own):
        return [first, ""]
    away = "" if np.isnan(cell.away) else f" ({cell.away:+.1f})"
    return [first, f"{cell.own:.{digits + 1}f} ± {cell.error:.{digits + 1}f}{away}"]


def synthetic_table(name: str, tables: Tables, printed: Mapping[str, Any]) -> str:
    """A table with its title and how many cells come out: a line a configuration, two columns a
    method.
    """
    block, methods = printed[name], printed["methods"]
    digits, cells = block["digits"], synthetic_cells(name, tables, printed)
    rows = []
    for configuration in block["rows"]:
        own = {cell.method: cell for cell in cells if cell.configuration == configuration}
        texts = [text for method in methods for text in _texts(own[method], digits)]
        rows.append([configuration, *texts])
    header = [column for method in methods for column in (method, f"{method}, own draws")]
    repeated = ""
    for method, source in block.get("repeats", {}).items():
        fitted = [f"{cell.fitted:.{digits}f}" for cell in cells if cell.method == method]
        repeated += (
            f" The published code copies the column of {method} from {source}'s. Fitted to the "
            f"same subsets, {method} has {', '.join(fitted)}."
        )
    summary = summary_of(cells, digits) + repeated + lean_of(name, tables, block)
    return f"### {block['source']}\n\n{summary}\n\n{markdown_table([CONFIGURATION, *header], rows)}"


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


def same_cells(tables: Tables, printed: Mapping[str, Any]) -> str:
    """How many cells of each table the published labels give as printed, in a sentence."""
    parts = []
    for name in TABLES:
        cells = synthetic_cells(name, tables, printed)
        known = [one for one in cells if np.isfinite(one.published)]
        same = sum(as_printed(one, printed[name]["digits"]) for one in known)
        if known:
            parts.append(f"{same} of {len(known)} of {name.replace('_', ' ')}")
    return f"Of the cells of the synthetic study the published labels give {', '.join(parts)}."


def sizes(tables: Tables) -> list[str]:
    """The replicates of our draws and of the published labels, of the study and of table 5."""
    names = [*STUDY.values(), *STABILITY_STUDY.values()]
    return [str(tables[name]["replicate"].nunique()) if name in tables else "no" for name in names]


PRIOR = f"method_settings.{POSTERIOR.name}.prior"
TARGETS = {
    "score:each": "the score of these answers",
    "expected_score:each": "the score over all possible answers",
}


def _independent_line(quality: str, prior: str, method: str) -> list[str]:
    """The words for a setting of `stableval_own_world`, and for the method."""
    priors = {"agent": "a class prior each", "shared": "one class prior"}
    alike = {"equal": "agents alike", "wide": "agents differ"}
    words = f"{method}, {priors[prior]}" if method == POSTERIOR.name else method
    return [alike.get(quality, quality), words]


def _dependent_line(difficulty: str, copying: float, method: str) -> list[str]:
    """The words for a setting of `stableval_correlated`, and for the method."""
    control = (difficulty, copying) == ("own", 0)  # labels are independent
    return [f"{difficulty} difficulty, {copying:.0%} copied" + " (control)" * control, method]


def interval_tables(tables: Tables) -> str:
    """The tables of coverage of agents' scores by setting and method, with the failed fits."""
    worlds: dict[str, tuple[str, list[str], Callable[..., list[str]]]] = {
        "stableval_own_world": (
            "Labels independent given the level", ["quality", PRIOR], _independent_line,
        ),
        "stableval_correlated": (
            "Labels that share their response's difficulty, or are copied",
            ["difficulty", "copying"], _dependent_line,
        ),
    }  # fmt: skip
    header = [
        "setting", "method", *(f"covers {words}" for words in TARGETS.values()),
        "bias of the former", "length", "failed fits",
    ]  # fmt: skip
    parts = ["### Intervals of agents' scores\n"]
    for name, (title, axes, line) in worlds.items():
        if name not in tables:
            parts.append(f"{title}: not made here: {name}.\n")
            continue
        rows = summarise(tables[name][tables[name]["metric"].isin(TARGETS)], axes)
        if PRIOR in axes:
            # The bootstraps know nothing of the posterior's prior.
            rows = rows[(rows["method"] == POSTERIOR.name) | (rows[PRIOR] == "agent")]
        lines = []
        for key, own in rows.groupby([*axes, "method"], sort=False):
            of_metric = {str(row["metric"]): row for row in own.to_dict("records")}
            first = next(iter(of_metric.values()))
            covered = [
                f"{of_metric[metric]['coverage']:.3f} ± {of_metric[metric]['coverage_se']:.3f}"
                if metric in of_metric else ""
                for metric in TARGETS
            ]  # fmt: skip
            bias = with_error(float(first["bias"]), float(first["bias_se"]))
            failed = f"{first['gate_failures']} of {first['replicates'] + first['undefined']}"
            lines.append([*line(*key), *covered, bias, f"{float(first['width']):.3f}", failed])
        replicates = tables[name]["replicate"].nunique()
        parts += [
            f"{title}; {replicates} replicates in each setting, of six agents each:\n",
            markdown_table(header, lines) + "\n",
        ]
    return "\n".join(parts)


SAME, DIFFERS, ABSENT = "same", "differs", "not made here"
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")


def written_like(printed: str, values: Sequence[float]) -> str:
    """Write numbers as a printed cell has its own, such as "79 (8.23%)": sign, decimals, thousands.

    There is one for each of the cell's; a share where a per cent is printed.
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


class Cell(NamedTuple):
    """A printed cell of a numbered table, and our numbers written likewise; empty without any."""

    table: int
    row: str
    column: str
    printed: str
    ours: str

    @property
    def verdict(self) -> str:
        """Whether they are the same."""
        return (SAME if self.ours == self.printed else DIFFERS) if self.ours else ABSENT


Values = Mapping[tuple[str, str], Sequence[float]]
"""(row, column) -> our numbers."""


def compare_cells(printed: pd.DataFrame, values: Mapping[int, Values]) -> list[Cell]:
    """Compare printed cells (columns table, row, column, printed, as text) with ours by table."""
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


def _plain(make: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], Values]:
    """Each number of a table by its row and column."""

    def values(rows: pd.DataFrame) -> Values:
        return {
            (str(row), str(column)): (float(value),)
            for row, cells in make(rows).to_dict("index").items()
            for column, value in cells.items()
        }

    return values


def _findings(rows: pd.DataFrame) -> Values:
    """Key findings, of which two are printed as a pair of numbers."""
    found = paper_tables.findings(rows)["value"].astype(float)
    pairs = {
        "agents with another rank": ("agents with another rank", "agents"),
        "highly ambiguous": ("highly ambiguous", "share highly ambiguous"),
    }
    return {
        (str(name), "value"): tuple(found[part] for part in pairs.get(str(name), (name,)))
        for name in found.index
    }


def _mappings(rows: pd.DataFrame) -> Values:
    scores, ranked = paper_tables.mappings(rows)
    return {
        (str(agent), str(mapping)): (float(scores.loc[agent, mapping]), ranked.loc[agent, mapping])
        for agent in scores.index
        for mapping in scores.columns
    }


Source = tuple[str, Callable[[pd.DataFrame], Values]]
"""An experiment, and the function of its rows that gives a table's numbers."""


def _in_order(experiment: str, statistics: int, first: int) -> dict[int, Source]:
    """The sources of a dataset's tables: number `statistics`, and five in a row from `first` on."""
    names = "scores", "stability", "quality", "ambiguous"
    kinds = [*(_plain(getattr(paper_tables, name)) for name in names), _findings]
    rest = {number: (experiment, kind) for number, kind in enumerate(kinds, first)}
    return {statistics: (experiment, _plain(paper_tables.statistics)), **rest}


SOURCES: Mapping[int, Source] = {
    **_in_order("stableval_mt_bench", 1, 8),
    **_in_order("stableval_convabuse", 2, 13),
    **_in_order("stableval_qags", 18, 19),
    **_in_order("stableval_mslr", 24, 25),
    3: ("stableval_mappings", _mappings),
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


def _both_runs(tables: Tables) -> Iterator[tuple[str, pd.Series, pd.Series, pd.DataFrame]]:
    """Of each dataset: title, PEC scores as published, those of a converged EM, and its rows."""
    for experiment, title in DATASETS.items():
        if {experiment, f"{experiment}_converged"} <= set(tables):
            converged = tables[f"{experiment}_converged"]
            scores = [
                rows[(rows["metric"] == "score:each") & (rows["method"] == PEC)]
                .set_index("agent")["estimate"]
                for rows in (tables[experiment], converged)
            ]  # fmt: skip
            yield title, scores[0], scores[1], converged


def convergence(tables: Tables) -> list[list[str]]:
    """Rows on a converged EM: dataset, its steps, the scores that change, how many ranks change."""
    lines = []
    for title, before, after, converged in _both_runs(tables):
        after = after[before.index]
        moved = int((ranks(before.to_numpy()) != ranks(after.to_numpy())).sum())
        message = converged.loc[converged["method"] == PEC, "diagnostics_message"].iloc[0]
        pairs = [(agent, f"{before[agent]:.3f}", f"{after[agent]:.3f}") for agent in before.index]
        moves = ", ".join(
            f"{agent} {one} -> {other}" for agent, one, other in pairs if one != other
        )
        steps, moves = message.removeprefix("EM: "), moves or "none in the third digit"
        lines.append([title, steps, moves, f"{moved} of {len(before)}"])
    return lines


def bootstraps(frame: pd.DataFrame) -> list[list[str]]:
    """Rows by dataset and method: mean widths as published and mended, ratio, scores outside."""
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
        title: float((before - after).abs().max()) for title, before, after, _ in _both_runs(tables)
    }
    title = "largest change of a score where the EM runs on until it has converged"
    return cells_of(title, list(changes), list(changes.values()))


def lead(tables: Tables, best: str, draws: int) -> Cells:
    """How much larger the expected tau-b of a method, the `best`, is than that of each other.

    Each is over `draws` subsets of annotators of its own, so that errors are independent.
    """
    frame = paper_tables.stability(only(tables))
    tau, error = frame["stability"], frame["stability_se"]
    text = ", ".join(f"{name} {with_error(tau[name], error[name])}" for name in frame.index)
    others = tau.index.drop(best)
    apart = np.hypot(error[others], error[best])
    names = [f"{best} less {name}" for name in others]
    return cells_of(text, names, tau[best] - tau[others], apart, None, draws)


def one_exchange(tables: Tables, mapping: str, agents: list[str]) -> Judgement:
    """Whether these agents change places under a mapping of ties, and no others under any."""
    _, ranked = paper_tables.mappings(only(tables))
    moved = ranked.ne(ranked["baseline"], axis=0)
    changed = {str(name): list(moved.index[moved[name]]) for name in moved if moved[name].any()}
    text = "; ".join(f"{name}: {', '.join(map(str, own))}" for name, own in changed.items())
    alone = list(changed) == [mapping] and set(changed[mapping]) == set(agents)
    return Judgement(text or "none", HOLDS if alone else FAILS, "", "exact")


def recovered(tables: Tables, study: str = "") -> pd.DataFrame:
    """How well scores of a study (the only one) recover the true ranking, by replicate."""
    return recovery(tables[study] if study else only(tables), [CONFIGURATION])


def caption(
    tables: Tables, said: Mapping[str, Mapping[str, float]], seeds: int, quantity: str = "mse"
) -> Cells:
    """Means of a quantity less what a caption `said`: configuration -> method -> value.

    They are of the first table. Over all published seeds they are exact; over some of the seeds
    their error is not known.
    """
    rows = recovered(tables, next(iter(tables)))
    means = rows.groupby([CONFIGURATION, "method"])[quantity].mean()
    keys = [(name, method) for name, row in said.items() for method in row]
    ours = [float(means[key]) for key in keys]
    text = ", ".join(f"{key[1]} {one:.5f}" for key, one in zip(keys, ours, strict=True))
    names = [f"{method} ({name})" for name, method in keys]
    gaps = [mean - said[name][method] for mean, (name, method) in zip(ours, keys, strict=True)]
    return _of_seeds(text, names, gaps, rows, seeds)


def _of_seeds(
    title: str, names: list[str], values: list[float], rows: pd.DataFrame, seeds: int
) -> Cells:
    """Cells of means over the published seeds: exact where all are there, else not known."""
    size = rows["replicate"].nunique()
    errors = None if size == seeds else [np.nan] * len(values)
    return cells_of(title, names, values, errors, None, np.nan if size == seeds else size)


def accuracies(
    tables: Tables, where: Mapping[str, Any], seeds: int = 0, less: Mapping[str, Any] | None = None
) -> Cells:
    """Mean ranking accuracy by configuration and method, of the rows with the values `where`.

    With `less`, the mean of the rows with those values is subtracted. `seeds` is the number of
    published seeds, over all of which means are exact; 0 for our own draws.
    """
    rows, quantity = recovered(tables, STUDY[PUBLISHED if seeds else OWN]), "ranking_accuracy"
    groups = choose(rows, where).groupby([CONFIGURATION, "method"], sort=False)
    found = groups[quantity].agg(["mean", "sem"])
    values, errors = found["mean"].to_numpy(), found["sem"].to_numpy()
    if less:
        base = choose(rows, less)[quantity]
        values, errors = values - base.mean(), np.hypot(errors, np.asarray(base.sem()))
    names = [f"{method} {configuration}" for configuration, method in found.index]
    if seeds:
        return _of_seeds("on the published labels", names, list(values), rows, seeds)
    return cells_of("on our own draws", names, values, errors, None, rows["replicate"].nunique())


def hours(tables: Tables) -> Cells:
    """The hours that all fits of the study take, one after the other."""
    spent = only(tables)["seconds"].sum() / 3600
    return cells_of("hours of all fits, one after the other", [""], [spent])


def nearer_to_narrow(tables: Tables, said: float) -> Cells:
    """How much nearer the MSE of the narrow qualities is to a caption's than that of the wide."""
    means = recovered(tables).groupby([CONFIGURATION, "method"])["mse"].mean()
    narrow, wide = means["gaps_tight", "DS"], means["gaps_wide", "DS"]
    title = (
        f"MSE of DS {narrow:.5f} for qualities .75 to .50, {wide:.5f} for .85 to .20; the caption "
        f"gives {said} to the latter"
    )
    return cells_of(title, [""], [abs(wide - said) - abs(narrow - said)])


def table_5(tables: Tables, block: Mapping[str, Any], methods: list[str], seeds: int) -> Cells:
    """The cells of table 5 on the published labels less those printed, without a column that
    repeats another; exact over all seeds.
    """
    printed = {"table_5": block, "methods": methods, "repetitions": seeds}
    cells = synthetic_cells("table_5", tables, printed)
    cells = [cell for cell in cells if cell.method not in block["repeats"]]
    names = [f"{cell.method} {cell.configuration}" for cell in cells]
    ours = [f"{name} {cell.published:.5f}" for name, cell in zip(names, cells, strict=True)]
    gaps = [cell.published - cell.printed for cell in cells]
    return _of_seeds(", ".join(ours), names, gaps, only(tables), seeds)


def settings_named(tables: Tables) -> pd.DataFrame:
    """A table of intervals, with the name of its `setting` and whether each is `inside`."""
    table = only(tables)
    found = table.assign(inside=table["truth"].between(table["lower"], table["upper"]) * 1.0)
    if "copying" in table:
        copied = table["copying"].map("{:.0%} copied".format)
        found["setting"] = table["difficulty"] + " difficulty, " + copied
    return found

"""What belongs to an item, not to a vote: scores, gold and its draw, cluster, strata, weights."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.reading.roles import guessed_gold
from crowdgold.reading.sheets import Sheet
from crowdgold.reading.tables import Rows
from crowdgold.reading.votes import joined
from crowdgold.types.clusters import CLUSTER
from crowdgold.types.columns import BELOW_LARGEST, LARGEST, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import BATCH, COLUMNS, STRATUM, not_begun


def of_item(sheet: Sheet, column: str) -> Sheet:
    """One row for each item that has a value in a column.

    Words for an empty cell count as one in numbers and labels, and are names of a stratum or a
    cluster. Where an item has several rows, as in a file of votes, they must say the same.
    """
    names = column in (CLUSTER, STRATUM, *sheet.starting("stratum").values())
    values = sheet.frame[column] if names else sheet.known(column)
    known = values.notna().to_numpy(dtype=bool)
    table = sheet.take(known)
    item, values = table.frame["item"], values[known]
    if sheet.several:
        first = values.groupby(item.to_numpy(dtype=object)).transform("first")
        other = (values != first).to_numpy(dtype=bool)
        expected = f"what the item's first row has; or leave it out by --column {column}=ignore"
        table.refuse(column, other, expected)
    else:
        table.refuse_repeated()
    return table.take(~item.duplicated().to_numpy(dtype=bool))


def _values(sheet: Sheet, column: str) -> pd.Series:
    """The values of a column by item, where it has one."""
    table = of_item(sheet, column)
    return table.series(table.frame[column].to_numpy(dtype=object))


def read_scores(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """The finite scores: predictor -> scores by item; each predictor has one column."""
    scores: dict[str, pd.Series] = {}
    for sheet in sheets:
        columns = {name: (sheet, column) for name, column in sheet.starting("score").items()}
        if sheet.has("model", "score"):
            model = sheet.frame["model"]
            bad = (model.isna() & sheet.frame["score"].notna()).to_numpy()
            sheet.refuse("model", bad, "whose score it is")
            columns = {
                str(name): (sheet.take((model == name).fillna(False).to_numpy(dtype=bool)), "score")
                for name in model.dropna().unique()
            }
        # All are looked at for repeated items before any for its numbers.
        tables = {name: of_item(own, column) for name, (own, column) in columns.items()}
        for name, table in tables.items():
            column = columns[name][1]
            if name in scores:
                raise InputError(f"{sheet.source}: scores of {name!r} stand in another file too")
            if not len(table.frame):
                raise InputError(
                    f"{sheet.source}: column {column!r}: no number in any row; fill it in, or "
                    "leave it out"
                )
            values = to_numbers(table.frame[column])
            table.refuse(column, ~(np.abs(values) < LARGEST), BELOW_LARGEST)
            _check_thousands(table, column)
            scores[name] = table.series(values)
    return scores


def _check_thousands(table: Sheet, column: str) -> None:
    """Refuse points that mark thousands: 3 digits follow each, and most others have 3 digits."""
    texts = table.frame[column].dropna().astype(str)
    has_point = texts.str.contains(".", regex=False)
    pointed, whole = texts[has_point], texts[~has_point]
    if min(len(pointed), len(whole)) < 2 or (whole.str.len() > 2).mean() <= 0.5:
        return
    marked = pointed.str.fullmatch(r"[+-]?[1-9]\.\d{3}").all()
    if marked and whole.str.fullmatch(r"[+-]?\d{1,3}").all():
        raise InputError(
            f"{table.source}: column {column!r} holds {pointed.iloc[0]!r} beside "
            f"{whole.iloc[0]!r}: the point seems to mark thousands. Expected numbers without such "
            f"a mark; or {pointed.iloc[0]}0, where it is a decimal point"
        )


def read_gold(sheets: Sequence[Sheet], notes: list[str]) -> Rows | None:
    """The gold labels: columns item, expert and label, one of an expert for an item; or None."""
    parts = []
    for sheet in sheets:
        by_name = sheet.starting("gold").items()
        tables = [(of_item(sheet, column), column, name) for name, column in by_name]
        if sheet.has("label") and (sheet.has("expert") or not sheet.several):
            label = sheet.known("label").notna()
            if sheet.several:
                label &= sheet.frame["expert"].notna()
            elif guessed_gold(sheet):
                notes.append(f"{sheet.name}: its labels are read as gold labels")
            # "gold" is the expert where a file names none.
            tables.append((sheet.take(label.to_numpy(dtype=bool)), "label", "gold"))
        for table, column, name in tables:
            expert = pd.Series(name, index=table.frame.index, dtype="string")
            if column == "label" and table.has("expert"):
                expert = table.frame["expert"].fillna(name)
            own = {"item": table.frame["item"], "expert": expert, "label": table.known(column)}
            parts.append((table, pd.DataFrame(own), table.rows))
    if not parts:
        return None
    found = joined(parts)
    again = found.frame.duplicated(["item", "expert"], keep=False).to_numpy(dtype=bool)
    if again.any():
        rows, item = found.rows[again], found.frame["item"][again].iloc[0]
        listed = ", ".join(map(str, rows[:8])) + (" ..." if len(rows) > 8 else "")
        drawn = [np.full(len(frame), sheet.has(BATCH)) for sheet, frame, _ in parts]
        if np.concatenate(drawn)[again].all():
            raise InputError(
                f"{found.source}: items have a label in two batches, rows {listed} (item {item!r})."
                " An item that came back without a label can be in a later batch again; expected "
                "its label in the later one only: add no label to a batch once the next is drawn"
            )
        raise InputError(
            f"{found.source}: an expert labels an item again, rows {listed} (item {item!r}); "
            "expected each expert once on an item. Where there are several experts, name them in a "
            "column 'expert'"
        )
    return found if len(found.frame) else None


def of_begun_batches(
    gold: Rows | None, item: np.ndarray, sampling: Mapping[str, pd.Series], notes: list[str]
) -> tuple[Rows | None, int]:
    """The gold labels without those of a batch that some stratum has none of; and their number."""
    if gold is None or BATCH not in sampling:
        return gold, 0
    passed, told = not_begun(sampling, np.isin(item, gold.frame["item"].to_numpy(dtype=object)))
    notes += told
    kept = ~gold.frame["item"].isin(item[passed]).to_numpy(dtype=bool)
    return gold.take(kept), int((~kept).sum())


def read_strata(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """The strata: name -> stratum by item, one in all files."""
    return _of_all(sheets, lambda sheet: sheet.starting("stratum"))


def _of_all(
    sheets: Sequence[Sheet], columns: Callable[[Sheet], Mapping[str, str]],
    values: Callable[[Sheet, str], pd.Series] = _values,
) -> dict[str, pd.Series]:  # fmt: skip
    """Name -> values by item of the columns of all sheets, which must not contradict each other."""
    found: dict[str, pd.Series] = {}
    for sheet in sheets:
        for name, column in columns(sheet).items():
            both = own = values(sheet, column)
            if name in found:
                both = pd.concat([found[name], own])
                both = both[~pd.MultiIndex.from_arrays([both.index, both]).duplicated()]
            if both.index.duplicated().any():
                item = both.index[both.index.duplicated()][0]
                raise InputError(
                    f"{sheet.source}: column {column!r} stands in another file too, and says other "
                    f"things there, of item {item!r} for one; expected it once"
                )
            found[name] = both
    return found


def _named(column: str) -> Callable[[Sheet], Mapping[str, str]]:
    """For `_of_all`: one column by its name, of the sheets that have it."""
    return lambda sheet: {column: column} if sheet.has(column) else {}


def read_sampling(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """How gold items were drawn, and their clusters: column -> values by item.

    Each batch may stand in a file. An item that came back from one without a label counts for the
    batch that has its label.
    """
    return _draws(sheets) | _of_all(sheets, _named(CLUSTER))


def _draws(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """How gold items were drawn: the columns of `gold_draw`, those that are there."""
    given = [sheet for sheet in sheets if any(map(sheet.has, COLUMNS))]
    in_batches = all(sheet.has(BATCH) for sheet in given)
    tables: list[pd.DataFrame] = []
    for sheet in given:
        columns = [column for column in COLUMNS if sheet.has(column)]
        again = [column for column in columns if any(column in one for one in tables)]
        if again and not in_batches:
            raise InputError(f"{sheet.source}: column {again[0]!r} stands in another file too")
        tables.append(pd.DataFrame({one: _values(sheet, one) for one in columns}))
        gold = [*sheet.starting("gold").values(), *filter(sheet.has, ["label"])]
        known = [_values(sheet, column).index for column in gold] if in_batches else []
        tables[-1]["known"] = np.any([tables[-1].index.isin(one) for one in known], axis=0)
    if in_batches and tables:
        found = pd.concat(tables).sort_values("known", kind="stable")
        tables = [found[~found.index.duplicated(keep="last")]]
    return {str(name): one[name].dropna() for one in tables for name in one.drop(columns="known")}


def read_weights(sheets: Sequence[Sheet]) -> pd.Series | None:
    """The weights by item, above 0; None where there are none."""

    def weights(sheet: Sheet, column: str) -> pd.Series:
        table = of_item(sheet, column)
        values = to_numbers(table.frame[column])
        bad = ~((values > 0) & (values < LARGEST))
        table.refuse(column, bad, f"a number above 0, below {LARGEST:g}")
        return table.series(values)

    return _of_all(sheets, _named("weight"), weights).get("weight")

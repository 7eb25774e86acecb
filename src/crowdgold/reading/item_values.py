"""What belongs to an item, not to a vote: scores, gold and its draw, cluster, strata, weights."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.reading.roles import ANONYMOUS, GOLD_FILE, LONG
from crowdgold.reading.sheets import Sheet
from crowdgold.reading.votes import Rows, joined
from crowdgold.types.clusters import CLUSTER
from crowdgold.types.columns import BELOW_LARGEST, LARGEST, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import BATCH, COLUMNS, STRATUM, not_begun


def of_item(sheet: Sheet, column: str, many: bool) -> Sheet:
    """One row for each item that has a value in a column.

    Words for an empty cell count as one in numbers and labels, and are names of a stratum or a
    cluster. Where an item has `many` rows, as in a file of votes, they must say the same.
    """
    names = column in (CLUSTER, STRATUM, *sheet.starting("stratum").values())
    values = sheet.frame[column] if names else sheet.known(column)
    known = values.notna().to_numpy(dtype=bool)
    table = sheet.take(known)
    item, values = table.frame["item"], values[known]
    problems = table.problems()
    if many:
        first = values.groupby(item.to_numpy(dtype=object)).transform("first")
        other = (values != first).to_numpy(dtype=bool)
        expected = f"what the item's first row has; or leave it out by --column {column}=ignore"
        problems.add_rows(column, other, values, expected)
    else:
        twice = item.duplicated(keep=False).to_numpy(dtype=bool)
        problems.add_rows("item", twice, item, "each item once (it is there repeatedly)")
    problems.raise_if_any()
    return table.take(~item.duplicated().to_numpy(dtype=bool))


def _several(kind: str | None) -> bool:
    return kind in (LONG, ANONYMOUS)


def read_scores(sheets: Sequence[Sheet], kinds: Sequence[str | None]) -> dict[str, pd.Series]:
    """The finite scores: predictor -> scores by item; each predictor has one column."""
    scores: dict[str, pd.Series] = {}
    for sheet, kind in zip(sheets, kinds, strict=True):
        columns, rows = sheet.starting("score"), {}
        if sheet.has("model", "score"):
            model = sheet.frame["model"]
            problems = sheet.problems()
            bad = (model.isna() & sheet.frame["score"].notna()).to_numpy()
            problems.add_rows("model", bad, model, "whose score it is")
            problems.raise_if_any()
            rows = {str(name): (model == name).fillna(False).to_numpy(dtype=bool)
                    for name in model.dropna().unique()}  # fmt: skip
            columns = dict.fromkeys(rows, "score")
        own = {
            name: of_item(sheet.take(rows[name]) if rows else sheet, column, _several(kind))
            for name, column in columns.items()
        }
        for name, table in own.items():
            column = columns[name]
            if name in scores:
                raise InputError(f"{sheet.source}: scores of {name!r} stand in another file too")
            values = to_numbers(table.frame[column])
            problems = table.problems()
            if not len(values):
                nothing = "no number in any row; fill it in, or leave it out"
                problems.add(f"column {column!r}: {nothing}")
            bad = ~(np.abs(values) < LARGEST)
            problems.add_rows(column, bad, table.frame[column], BELOW_LARGEST)
            problems.raise_if_any()
            _check_thousands(table, column)
            scores[name] = pd.Series(values, index=table.frame["item"].to_numpy(dtype=object))
    return scores


def _check_thousands(table: Sheet, column: str) -> None:
    """Raise an `InputError` where the point of some numbers seems to mark their thousands.

    It does where one digit stands before it and three follow in each number that has one, and most
    of the others are whole numbers of three digits.
    """
    texts = table.frame[column].dropna().astype(str)
    pointed = texts.str.contains(".", regex=False)
    if pointed.sum() < 2 or not texts[pointed].str.fullmatch(r"[+-]?[1-9]\.\d{3}").all():
        return
    whole = texts[~pointed]
    if (
        len(whole) > 1
        and whole.str.fullmatch(r"[+-]?\d{1,3}").all()
        and (whole.str.len() > 2).mean() > 0.5
    ):
        raise InputError(
            f"{table.source}: column {column!r} holds {texts[pointed].iloc[0]!r} beside "
            f"{whole.iloc[0]!r}: the point seems to mark thousands. Expected numbers without such "
            f"a mark; or {texts[pointed].iloc[0]}0, where it is a decimal point"
        )


def guessed_gold(sheet: Sheet, kind: str | None) -> bool:
    """Whether nothing but their number says that a file's labels are gold: one an item."""
    return (
        sheet.has("label")
        and not (_several(kind) or sheet.has("expert"))
        and not GOLD_FILE.search(sheet.name)
    )


def read_gold(
    sheets: Sequence[Sheet], kinds: Sequence[str | None], notes: list[str]
) -> Rows | None:
    """The gold labels: columns item, expert and label, one of an expert for an item; or None."""
    parts = []
    for sheet, kind in zip(sheets, kinds, strict=True):
        several = _several(kind)
        tables = [
            (of_item(sheet, column, several), column, name)
            for name, column in sheet.starting("gold").items()
        ]
        if sheet.has("label") and (sheet.has("expert") or not several):
            label = sheet.known("label").notna()
            if several:
                label &= sheet.frame["expert"].notna()
            elif guessed_gold(sheet, kind):
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
    """The gold labels without those of a batch of which not all strata have one, and how many."""
    if gold is None or BATCH not in sampling:
        return gold, 0
    passed, told = not_begun(sampling, np.isin(item, gold.frame["item"].to_numpy(dtype=object)))
    notes += told
    kept = ~gold.frame["item"].isin(item[passed]).to_numpy(dtype=bool)
    return gold.take(kept), int((~kept).sum())


def read_strata(sheets: Sequence[Sheet], kinds: Sequence[str | None]) -> dict[str, pd.Series]:
    """The strata: name -> stratum by item, one in all files."""
    strata: dict[str, pd.Series] = {}
    for sheet, kind in zip(sheets, kinds, strict=True):
        for name, column in sheet.starting("stratum").items():
            values = _values(sheet, column, kind)
            strata[name] = _as_before(strata.get(name), values, sheet, column)
    return strata


def _as_before(before: pd.Series | None, values: pd.Series, sheet: Sheet, column: str) -> pd.Series:
    """The values by item of a column that an earlier file may have too."""
    if before is None:
        return values
    both = pd.concat([before, values])
    both = both[~pd.MultiIndex.from_arrays([both.index, both]).duplicated()]
    if both.index.duplicated().any():
        item = both.index[both.index.duplicated()][0]
        raise InputError(
            f"{sheet.source}: column {column!r} stands in another file too, and says other things "
            f"there, of item {item!r} for one; expected it once"
        )
    return both


def read_sampling(sheets: Sequence[Sheet], kinds: Sequence[str | None]) -> dict[str, pd.Series]:
    """How gold items were drawn, and which belong together: columns by item, where there.

    Batches may stand in a file each. An item that one of them sent in vain is of the one that has
    its label.
    """
    found, cluster = _draws(sheets, kinds), None
    for sheet, kind in zip(sheets, kinds, strict=True):
        if sheet.has(CLUSTER):
            cluster = _as_before(cluster, _values(sheet, CLUSTER, kind), sheet, CLUSTER)
    return found if cluster is None else found | {CLUSTER: cluster}


def _draws(sheets: Sequence[Sheet], kinds: Sequence[str | None]) -> dict[str, pd.Series]:
    """How gold items were drawn: the columns of `gold_draw`, those that are there."""
    given = [
        (sheet, kind)
        for sheet, kind in zip(sheets, kinds, strict=True)
        if any(map(sheet.has, COLUMNS))
    ]
    in_batches = all(sheet.has(BATCH) for sheet, _ in given)
    tables: list[pd.DataFrame] = []
    for sheet, kind in given:
        columns = [column for column in COLUMNS if sheet.has(column)]
        again = [column for column in columns if any(column in one for one in tables)]
        if again and not in_batches:
            raise InputError(f"{sheet.source}: column {again[0]!r} stands in another file too")
        tables.append(pd.DataFrame({one: _values(sheet, one, kind) for one in columns}))
        gold = [*sheet.starting("gold").values(), *filter(sheet.has, ["label"])]
        known = [_values(sheet, column, kind).index for column in gold] if in_batches else []
        tables[-1]["known"] = np.any([tables[-1].index.isin(one) for one in known], axis=0)
    if not in_batches or not tables:
        return {
            str(name): one[name].dropna() for one in tables for name in one.drop(columns="known")
        }
    found = pd.concat(tables).sort_values("known", kind="stable").drop(columns="known")
    last = found[~found.index.duplicated(keep="last")]
    return {str(column): last[column].dropna() for column in last}


def _values(sheet: Sheet, column: str, kind: str | None) -> pd.Series:
    """The values of a column by item, where it has one."""
    table = of_item(sheet, column, _several(kind))
    item = table.frame["item"].to_numpy(dtype=object)
    return pd.Series(table.frame[column].to_numpy(dtype=object), index=item)


def read_weights(sheets: Sequence[Sheet], kinds: Sequence[str | None]) -> pd.Series | None:
    """The weights by item, above 0; None where there are none."""
    found = None
    for sheet, kind in zip(sheets, kinds, strict=True):
        if not sheet.has("weight"):
            continue
        table = of_item(sheet, "weight", _several(kind))
        values = to_numbers(table.frame["weight"])
        problems = table.problems()
        bad = ~((values > 0) & (values < LARGEST))
        expected = f"a number above 0, below {LARGEST:g}"
        problems.add_rows("weight", bad, table.frame["weight"], expected)
        problems.raise_if_any()
        own = pd.Series(values, index=table.frame["item"].to_numpy(dtype=object))
        found = _as_before(found, own, sheet, "weight")
    return found

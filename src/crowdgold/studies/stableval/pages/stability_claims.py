"""Table 5 of STABLEVAL: whose column is whose, and of which subsets it is, on the published labels.

Printed means and ours are of the same seeds and differ by their draws of subsets alone, so that the
joint error of two independent means, which is used here, is too large rather than too small.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import CLEAR, Claim, Judgement, Tables, contradicted
from crowdgold.evaluation.summaries import standard_error
from crowdgold.studies.stableval.pages.synthetic_tables import CONFIGURATION, STABILITY

TABLE = STABILITY["published"]
BY_LABELS, BY_ANNOTATORS = "stability:labels", "stability"


def _values(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Tau-b by configuration and seed (rows) and method (columns)."""
    rows = table[table["metric"] == metric]
    return rows.pivot_table(
        index=[CONFIGURATION, "replicate"], columns="method", values="estimate", sort=False
    )


def _means(values: pd.Series) -> pd.DataFrame:
    """Mean and se over the seeds of each configuration."""
    groups = values.groupby(level=0, sort=False)
    errors = groups.agg(lambda own: standard_error(own.to_numpy()))
    return pd.DataFrame({"mean": groups.mean(), "se": errors})


def _texts(found: pd.DataFrame) -> str:
    return ", ".join(with_error(*row) for row in found[["mean", "se"]].to_numpy())


def _printed(block: Mapping[str, Any], methods: list[str], what: str) -> pd.DataFrame:
    """What is printed, `rows` or `standard_errors`: configurations by methods."""
    return pd.DataFrame.from_dict(block[what], orient="index", columns=methods)


def _away(found: pd.DataFrame, means: pd.Series, errors: pd.Series) -> pd.Series:
    """The distance from what is printed in joint standard errors."""
    joint = np.hypot(found["se"], errors.reindex(found.index))
    return (found["mean"] - means.reindex(found.index)).abs() / joint


def column_of_ds(printed: Mapping[str, Any]) -> Callable[[Tables], Judgement]:
    """Judge each cell of table 5's column of DS, and whether the column is another's."""
    block, methods = printed["table_5"], list(printed["methods"])
    means, errors = (_printed(block, methods, what) for what in ("rows", "standard_errors"))

    def judge(tables: Tables) -> Judgement:
        values = _values(tables[TABLE], BY_LABELS)
        found = _means(values["DS"])
        gain = _means(values["PEC"] - values["DS"])
        apart = int((gain["mean"].abs() > CLEAR * gain["se"]).sum())
        repeated = means["DS"].equals(means["PEC"]) and errors["DS"].equals(errors["PEC"])
        return Judgement(
            f"DS, by labels per item: {_texts(found)}; PEC less DS, seeds paired: {_texts(gain)}",
            contradicted(_away(found, means["DS"], errors["DS"]) > CLEAR),
            "the printed columns of DS and PEC are one, in all cells and in all digits of the "
            f"published file's standard errors; ours differ clearly in {apart} of {len(gain)} cells"
            if repeated
            else "",
        )

    return judge


def which_subsets(printed: Mapping[str, Any]) -> Callable[[Tables], Judgement]:
    """Judge whether table 5 is of subsets of annotators, as section 4.1 defines it: MV and PEC."""
    block, methods = printed["table_5"], list(printed["methods"])
    means, errors = (_printed(block, methods, what) for what in ("rows", "standard_errors"))

    def judge(tables: Tables) -> Judgement:
        parts, away = [], {}
        values = {one: _values(tables[TABLE], one) for one in (BY_ANNOTATORS, BY_LABELS)}
        for method in ("MV", "PEC"):
            for metric, words in ((BY_ANNOTATORS, "annotators"), (BY_LABELS, "labels")):
                found = _means(values[metric][method])
                away[metric, method] = _away(found, means[method], errors[method])
                parts.append(f"{method} by {words} {_texts(found)}")
            gap = _means(values[BY_LABELS][method] - values[BY_ANNOTATORS][method])
            parts.append(f"difference, seeds paired, {_texts(gap)}")
        far = {
            metric: np.concatenate([away[metric, method] > CLEAR for method in ("MV", "PEC")])
            for metric in (BY_ANNOTATORS, BY_LABELS)
        }
        return Judgement(
            "; ".join(parts), contradicted(pd.Series(far[BY_ANNOTATORS])), _reason(far)
        )

    return judge


def _reason(far: Mapping[str, np.ndarray]) -> str:
    """Say how many cells are clearly not those of either kind of subset."""
    counts = {metric: f"{int(own.sum())} of {len(own)}" for metric, own in far.items()}
    return (
        f"clearly other than printed: {counts[BY_ANNOTATORS]} cells by annotators, "
        f"{counts[BY_LABELS]} by 3 of an item's labels (2 of 3)"
    )


def stability_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims about table 5.

    Args:
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    return (
        Claim("Table 5", "stability of DS .989 .991 .992 .992", (TABLE,), column_of_ds(printed)),
        Claim(
            "Sections 4.1 and 5.3, table 5",
            "stability is tau-b under subsampling of annotators",
            (TABLE,),
            which_subsets(printed),
        ),
    )

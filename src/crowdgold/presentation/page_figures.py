"""The figures of a study's report, each with the words around it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from crowdgold.evaluation.questions import plain_metric
from crowdgold.methods.registry import offered
from crowdgold.presentation.answers import (
    Numbers,
    against_voters,
    headlines_of_all,
    is_comparison,
    metric_of,
    percent,
    words_of,
)
from crowdgold.presentation.figures import (
    MOST,
    PR,
    ROC,
    StudyFigure,
    draw_study_curves,
    draw_study_estimates,
    drawn_names,
)
from crowdgold.presentation.folder import StudyFolder, records_of

GROUPS_OF_A_FIGURE = 6
APART = (
    "An answer at a threshold is corrected by itself, as each point here is, so that it may lie a "
    "little beside the curve."
)
MOST_GROUPS = 24
"""Models, or pairs of models, that are drawn for a metric; all are in estimates.csv."""


def in_chunks(values: Sequence[Any], size: int, most: int) -> Iterator[list[Any]]:
    """Split the first `most` values into lists of `size`."""
    for start in range(0, min(len(values), most), size):
        yield list(values[start : min(start + size, most)])


def key_of_names(study: StudyFolder) -> str:
    """Say which models are called otherwise in figures than by their names."""
    names = drawn_names(study.models)
    return "; ".join(f"{ours} is {name}" for name, ours in names.items() if ours != name)


def _described(rows: pd.DataFrame, level: float) -> str:
    """Write the numbers of a figure for those who cannot see it."""
    texts = []
    for row in records_of(rows):
        numbers = Numbers(row)
        whose = f"{row['group']}, {row['method']}" if row["group"] else row["method"]
        texts.append(f"{whose}: {numbers.point}, {numbers.interval(level)}")
    return "; ".join(texts) + "."


def _group(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Name the model, or the pair, and the threshold that a row is of."""
    _, at = plain_metric(row["metric"])
    model = names.get(row["model"], row["model"])
    if is_comparison(row):
        model = f"{model} − {names.get(row['against'], row['against'])}"
    return f"{model}, from {at.replace('|', ' and ')}" if at else model


def _estimate_rows(study: StudyFolder) -> pd.DataFrame:
    """The estimates of all items with what the figures want to know of them."""
    rows = study.of_all("estimates")
    names = drawn_names(study.models)
    records = records_of(rows)
    chosen = {
        (row["model"], row["against"], row["metric"], row["method"])
        for row in headlines_of_all(study)
    }
    keys = rows[["model", "against", "metric", "method"]].itertuples(index=False, name=None)
    return rows.assign(
        group=[_group(row, names) for row in records],
        quantity=[metric_of(row) for row in records],
        compares=[is_comparison(row) for row in records],
        chosen=[key in chosen for key in keys],
    )


def estimate_figures(
    study: StudyFolder, compares: bool, metric: str | None = None
) -> Iterator[StudyFigure]:
    """Draw every method's estimate of each metric, or one; or of the differences of models."""
    rows = _estimate_rows(study)
    rows = rows[(rows["compares"] == compares) & rows["estimate"].notna()]
    if metric is not None:
        rows = rows[rows["quantity"] == metric]
    for metric in dict.fromkeys(rows["quantity"]):
        own = rows[rows["quantity"] == metric]
        groups, words = list(dict.fromkeys(own["group"])), words_of(metric)
        chunks = list(in_chunks(groups, GROUPS_OF_A_FIGURE, MOST_GROUPS))
        for number, some in enumerate(chunks, start=1):
            shown = own[own["group"].isin(some)]
            label = f"difference in {words.symbol}" if compares else words.axis
            zero = compares or against_voters(metric)
            figure, drawn = draw_study_estimates(shown, {"label": label, "zero": zero})
            title = words.title + (", difference" if compares else "")
            if len(chunks) > 1:
                title += f" ({number} of {len(chunks)})"
            left = len(groups) - MOST_GROUPS
            caption = "Shaded: the answer. " + (
                "Right of 0: the first model is ahead. " if compares else ""
            )
            caption += f"{left} more in estimates.csv. " if left > 0 else ""
            kind = "difference" if compares else "estimates"
            yield StudyFigure(
                f"{kind}-{metric}-{number}".replace("_", "-"), title,
                f"{caption}Bars: {percent(study.level)} intervals.",
                f"{title} by each method. {_described(drawn, study.level)}", figure,
            )  # fmt: skip


def _method_of_curves(study: StudyFolder, model: str, curves: pd.DataFrame) -> str | None:
    """The method whose curves of a model are drawn: that of its AUC, where it has any."""
    have = set(curves.loc[(curves["model"] == model) & curves["estimate"].notna(), "method"])
    chosen = [
        row["method"] for row in headlines_of_all(study)
        if row["model"] == model and row["metric"] == "AUC"
    ]  # fmt: skip
    return next((name for name in (*chosen, *offered(), *sorted(have)) if name in have), None)


def _headline(study: StudyFolder, metric: str) -> Mapping[str, Any] | None:
    for row in headlines_of_all(study):
        if row["metric"] == metric and row["estimate"] is not None:
            return row
    return None


def voters_point(study: StudyFolder, curve: str) -> dict[str, float] | None:
    """The point at which a single voter works, from the headlines; None where not known."""
    tpr, tnr, share = (_headline(study, name) for name in ("TPR_H", "TNR_H", "prevalence"))
    if tpr is None or tnr is None:
        return None
    if curve == ROC:
        point = {"x": 1 - tnr["estimate"], "y": tpr["estimate"]}
        if tnr["lower"] is not None:
            point |= {"x_lower": 1 - tnr["upper"], "x_upper": 1 - tnr["lower"]}
        if tpr["lower"] is not None:
            point |= {"y_lower": tpr["lower"], "y_upper": tpr["upper"]}
        return point
    if share is None:
        return None
    hits = share["estimate"] * tpr["estimate"]
    alarms = (1 - share["estimate"]) * (1 - tnr["estimate"])
    if hits + alarms <= 0:
        return None
    point = {"x": tpr["estimate"], "y": hits / (hits + alarms)}
    if tpr["lower"] is not None:
        point |= {"x_lower": tpr["lower"], "x_upper": tpr["upper"]}
    return point


def _curve_words(rows: pd.DataFrame, curve: str, level: float) -> str:
    """Write a curve's values at a few points."""
    texts = []
    for model in dict.fromkeys(rows["model"]):
        own = rows[rows["model"] == model]
        near = [own.iloc[(own["at"] - at).abs().argmin()] for at in (0.1, 0.25, 0.5, 0.75)]
        values = ", ".join(f"{one['estimate']:.2f} at {one['at']:.2f}" for one in near)
        texts.append(f"{model}: {values}")
    what = "precision at recalls" if curve == PR else "recall at false positive rates"
    return f"{what}: {'; '.join(texts)}. Bands are {percent(level)} intervals."


def curve_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw the models' curves, a few models a figure."""
    curves, names = study.of_all("curves"), drawn_names(study.models)
    methods = {name: _method_of_curves(study, name, curves) for name in study.models}
    with_curves = [name for name in study.models if methods[name] is not None]
    share = _headline(study, "prevalence")
    for curve, title in ((PR, "Precision and recall"), (ROC, "ROC curve")):
        for number, some in enumerate(in_chunks(with_curves, MOST, MOST_GROUPS), start=1):
            parts = [
                curves[(curves["model"] == name) & (curves["method"] == methods[name])].assign(
                    model=names[name]
                )
                for name in some
            ]
            rows = pd.concat(parts)
            rows = rows[(rows["curve"] == curve) & rows["estimate"].notna()]
            if rows.empty:
                continue
            options = {"curve": curve, "voters": voters_point(study, curve)}
            options["chance"] = share["estimate"] if share else None
            figure, drawn = draw_study_curves(rows, options)
            by = ", ".join(dict.fromkeys(str(methods[name]) for name in some))
            heading = title if len(with_curves) <= MOST else f"{title} ({number})"
            bars = "intervals of FPR and TPR" if curve == ROC else "interval of recall"
            point = f"; star: a single voter, with the {bars}" if options["voters"] else ""
            caption = f"Bands: pointwise {percent(study.level)} intervals by {by}{point}."
            if curve == ROC:
                caption += f" {APART}"
            if curve == PR and options["chance"] is not None:
                caption += " Dotted: a random ranking."
            description = f"{heading}. {_curve_words(drawn, curve, study.level)}"
            yield StudyFigure(
                f"curve-{curve.lower()}-{number}", heading, caption, description, figure
            )

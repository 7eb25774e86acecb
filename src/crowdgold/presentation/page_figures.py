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
MOST_GROUPS = 24  # models, or pairs of them, drawn for a metric; all are in estimates.csv


def _in_chunks(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """The first `MOST_GROUPS` values in lists of a size."""
    some = values[:MOST_GROUPS]
    return [some[start : start + size] for start in range(0, len(some), size)]


def key_of_names(study: StudyFolder) -> str:
    """Say which models are called otherwise in figures than by their names."""
    names = drawn_names(study.models)
    return "; ".join(f"{ours} is {name}" for name, ours in names.items() if ours != name)


def _group(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Name the model, or the pair, and the threshold that a row is of."""
    _, at = plain_metric(row["metric"])
    model = names.get(row["model"], row["model"])
    if is_comparison(row):
        model = f"{model} − {names.get(row['against'], row['against'])}"
    return f"{model}, from {at.replace('|', ' and ')}" if at else model


def estimate_figures(
    study: StudyFolder, compares: bool, metric: str | None = None
) -> Iterator[StudyFigure]:
    """Draw every method's estimate of each metric, or one; or of the differences of models."""
    rows, names = study.of_all("estimates"), drawn_names(study.models)
    keys = ["model", "against", "metric", "method"]
    chosen = {tuple(row[name] for name in keys) for row in headlines_of_all(study)}
    records = records_of(rows)
    rows = rows.assign(
        group=[_group(row, names) for row in records],
        quantity=[metric_of(row) for row in records],
        compares=[is_comparison(row) for row in records],
        chosen=[key in chosen for key in rows[keys].itertuples(index=False, name=None)],
    )
    rows = rows[(rows["compares"] == compares) & rows["estimate"].notna()]
    if metric is not None:
        rows = rows[rows["quantity"] == metric]
    for metric in dict.fromkeys(rows["quantity"]):
        own = rows[rows["quantity"] == metric]
        groups, words = list(dict.fromkeys(own["group"])), words_of(metric)
        label = f"difference in {words.symbol}" if compares else words.axis
        options = {"label": label, "zero": compares or against_voters(metric)}
        left = len(groups) - MOST_GROUPS
        caption = "Shaded: the answer. "
        caption += "Right of 0: the first model is ahead. " if compares else ""
        caption += f"{left} more in estimates.csv. " if left > 0 else ""
        chunks = _in_chunks(groups, GROUPS_OF_A_FIGURE)
        for number, some in enumerate(chunks, start=1):
            figure, drawn = draw_study_estimates(own[own["group"].isin(some)], options)
            title = words.title + (", difference" if compares else "")
            if len(chunks) > 1:
                title += f" ({number} of {len(chunks)})"
            texts = []
            for row in records_of(drawn):
                numbers, of = Numbers(row), f"{row['group']}, " if row["group"] else ""
                texts.append(
                    f"{of}{row['method']}: {numbers.point}, {numbers.interval(study.level)}"
                )
            kind = "difference" if compares else "estimates"
            yield StudyFigure(
                f"{kind}-{metric}-{number}".replace("_", "-"), title,
                f"{caption}Bars: {percent(study.level)} intervals.",
                f"{title} by each method. {'; '.join(texts)}.", figure,
            )  # fmt: skip


def _headline(study: StudyFolder, metric: str) -> Mapping[str, Any] | None:
    rows = (row for row in headlines_of_all(study) if row["metric"] == metric)
    return next((row for row in rows if row["estimate"] is not None), None)


def _voters_point(study: StudyFolder, curve: str) -> dict[str, float] | None:
    """The point at which a single voter works, from the headlines; None where not known."""
    tpr, tnr, share = (_headline(study, name) for name in ("TPR_H", "TNR_H", "prevalence"))
    if tpr is None or tnr is None:
        return None
    recall = {} if tpr["lower"] is None else {"lower": tpr["lower"], "upper": tpr["upper"]}
    if curve == ROC:
        point = {"x": 1 - tnr["estimate"], "y": tpr["estimate"]}
        if tnr["lower"] is not None:
            point |= {"x_lower": 1 - tnr["upper"], "x_upper": 1 - tnr["lower"]}
        return point | {f"y_{end}": value for end, value in recall.items()}
    if share is None:
        return None
    hits = share["estimate"] * tpr["estimate"]
    alarms = (1 - share["estimate"]) * (1 - tnr["estimate"])
    if hits + alarms <= 0:
        return None
    point = {"x": tpr["estimate"], "y": hits / (hits + alarms)}
    return point | {f"x_{end}": value for end, value in recall.items()}


def curve_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw the models' curves, a few models a figure: by the method of the AUC, if it has any."""
    curves, names, methods = study.of_all("curves"), drawn_names(study.models), dict[str, str]()
    aucs = [row for row in headlines_of_all(study) if row["metric"] == "AUC"]
    for model in study.models:
        have = set(curves.loc[(curves["model"] == model) & curves["estimate"].notna(), "method"])
        chosen = [row["method"] for row in aucs if row["model"] == model]
        if have:
            methods[model] = next(name for name in (*chosen, *offered(), *have) if name in have)
    share, level = _headline(study, "prevalence"), study.level
    for curve, title in ((PR, "Precision and recall"), (ROC, "ROC curve")):
        voters = _voters_point(study, curve)
        options = {"curve": curve, "voters": voters, "chance": share and share["estimate"]}
        for number, some in enumerate(_in_chunks(list(methods), MOST), start=1):
            of_models = [
                curves[(curves["model"] == name) & (curves["method"] == methods[name])].assign(
                    model=names[name]
                )
                for name in some
            ]
            rows = pd.concat(of_models)
            rows = rows[(rows["curve"] == curve) & rows["estimate"].notna()]
            if rows.empty:
                continue
            figure, drawn = draw_study_curves(rows, options)
            by = ", ".join(dict.fromkeys(methods[name] for name in some))
            heading = title if len(methods) <= MOST else f"{title} ({number})"
            bars = "intervals of FPR and TPR" if curve == ROC else "interval of recall"
            point = f"; star: a single voter, with the {bars}" if voters else ""
            caption = f"Bands: pointwise {percent(level)} intervals by {by}{point}."
            if curve == ROC:
                caption += f" {APART}"
            if curve == PR and share is not None:
                caption += " Dotted: a random ranking."
            texts = []
            for drawn_as, own in drawn.groupby("model", sort=False):
                near = [own.iloc[(own["at"] - at).abs().argmin()] for at in (0.1, 0.25, 0.5, 0.75)]
                values = (f"{one['estimate']:.2f} at {one['at']:.2f}" for one in near)
                texts.append(f"{drawn_as}: {', '.join(values)}")
            what = "precision at recalls" if curve == PR else "recall at false positive rates"
            yield StudyFigure(
                f"curve-{curve.lower()}-{number}", heading, caption,
                f"{heading}. {what}: {'; '.join(texts)}. Bands are {percent(level)} intervals.",
                figure,
            )  # fmt: skip

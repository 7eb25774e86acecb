"""The metrics that labels are drawn for: those named, of each model, or all standard ones."""

from collections.abc import Sequence
from dataclasses import replace

from crowdgold.data import NO_PREDICTOR, InputError, Items
from crowdgold.metrics import Asked, parse_metric
from crowdgold.own.evaluation.questions import Settings, questions_of


def of_model(metric: Asked, model: str) -> Asked:
    """A metric that no model is named of, of a model."""
    name, at, threshold = metric.text.partition("@")
    return replace(metric, text=f"{name}:{model}{at}{threshold}", predictor=model)


def metrics_for(items: Items, texts: Sequence[str]) -> list[Asked]:
    """The metrics, each of one model, or a difference of the first two.

    Args:
        items: of the study.
        texts: as users write them (AUC, recall@0.5, recall:large@0.5); of no model named, of each.
            Without any, what `crowdgold evaluate` gives where nothing else is asked for.

    Raises:
        InputError: where one is not known, is no metric of labels, or needs scores.
    """
    models = items.predictors or [NO_PREDICTOR]
    if not texts:
        standard = {model: questions_of(Settings(), items, model).asked for model in models}
        wanted = [(one, model) for model, own in standard.items() for one in own]
    else:
        parsed = [parse_metric(text) for text in texts]
        wanted = [(one, model) for one in parsed for model in models]
    found = {}
    for metric, model in wanted:
        if metric.is_parameter:
            raise InputError(f"--for {metric.text}: gold labels say nothing about a parameter")
        of_one = metric.known.needs_scores and not (metric.predictor or metric.is_difference)
        if of_one and len(models) > 1:
            metric = of_model(metric, model)
        metric.predictors(items)
        found[metric.text] = metric
    return list(found.values())

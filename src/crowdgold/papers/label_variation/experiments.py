"""Training with human label variation: a training method on a dataset (HLV, section 5), and whether
metrics rank methods as people do, on public data (figure 5, tables 5 and 6).

PyTorch and the encoder's packages are optional; they are loaded for training. Without them there is
nothing to draw.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd

from crowdgold.experiment.computation import Computation
from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.papers.label_variation.encoders import (
    ENCODERS,
    TFIDF,
    Prepared,
    Split,
    embeddings,
    read_prepared,
    scale_to_unit_variance,
    tfidf_features,
)
from crowdgold.papers.label_variation.judgements import (
    JUDGES,
    METHODS,
    choose,
    halves,
    score,
    why_left_out,
)
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Above, AtLeast, Each, Given, Range, Settings

KEPT = Path("results/embeddings")
"""The folder of features of frozen encoders, shared by all scales."""
TITLES = {"snli": "ChaosNLI (SNLI)", "mnli_m": "ChaosNLI (MNLI)"}
"""Subset of ChaosNLI, which counts as a dataset of its own -> its title."""


@dataclass(frozen=True, kw_only=True)
class TrainingParameters(Settings):
    """What is trained, and how, in every computation of the study."""

    dataset: Annotated[
        Literal["hs_brexit", "md_agreement", "armis", "chaosnli_texts", "mfrc"],
        "The dataset of judged texts.",
    ]
    subset: Annotated[Literal["snli", "mnli_m"], "The part of ChaosNLI; all items where not given."]
    encoder: Annotated[
        Literal["minilm", "tfidf", "roberta", "twhin_bert", "llama_3"],
        "What turns a text into features: `minilm`, all-MiniLM-L6-v2, whose weights come with "
        "a package; `tfidf` of character n-grams; or the paper's `roberta`, `twhin_bert` or "
        "`llama_3`, by their names on the model hub.",
    ]
    fine_tuned: Annotated[
        bool,
        "Whether the encoder is trained too, LLaMA 3 by low-rank updates; frozen where not "
        "given. It wants a GPU.",
    ]
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        "Where an encoder is trained; `auto`, where not given, is a GPU where PyTorch sees one.",
    ]
    epochs: Annotated[int, AtLeast(1), "Passes over the training rows."]
    batch_size: Annotated[int, AtLeast(1), "Rows of a step."]
    learning_rate: Annotated[float, Above(0), "Adam's rate at the start; it falls linearly to 0."]
    warmup: Annotated[
        float,
        Range(least=0, below=1),
        "Share of the steps over which the rate first rises from 0; 0 where not given.",
    ]
    repeated: Annotated[
        Literal["weighted", "each"],
        "What repeated labelling trains on where an item has equal annotations of people "
        "without names: one row, `weighted` by their number, where not given, or a row for "
        "`each`.",
    ]
    trials: Annotated[
        int,
        AtLeast(0),
        "Models of a random search for learning rate and batch size, compared on the "
        "development items by the geometric mean of the metrics; 0, where not given, for "
        "none.",
    ]
    learning_rates: Annotated[
        object, Each(float, Above(0), least=2, most=2), "Lowest and highest of the search."
    ]
    batch_sizes: Annotated[object, Each(int, AtLeast(1), least=1), "Those of the search."]


@dataclass(frozen=True, kw_only=True)
class LabelVariationParameters(TrainingParameters):
    """A training method for human label variation on a dataset of judged texts, trained once in
    each replicate and scored by every metric (HLV, section 5).
    """

    method: Annotated[
        Literal["ReL", "MV", "AR", "ARh", "AL", "SL", "SLMV", "AE", "AEh", "JSD", "SmF1", "SMF1",
                "LA-min", "LA-max"],
        "The training method, by its short name in table 3.",
    ]  # fmt: skip


def features_file(parameters: Mapping[str, Any]) -> Path | None:
    """The file that keeps the frozen features that are needed; None where it keeps none."""
    if parameters.get("fine_tuned") or parameters["encoder"] == TFIDF:
        return None
    return KEPT / str(parameters["encoder"]) / f"{parameters['dataset']}.npz"


def encoder_of(given: Given, data: Prepared, frame: pd.DataFrame) -> Any:
    """The function (split) -> encoder, a PyTorch module; features that are kept are read here."""
    from crowdgold.papers.label_variation.training import FrozenFeatures

    name = given.choice("encoder")
    if given.values.get("fine_tuned"):
        from crowdgold.papers.label_variation.transformer_encoder import (
            TransformerEncoder,
            find_device,
            load,
        )

        known, device = ENCODERS[name], find_device(given.choice("device"))
        return lambda split: TransformerEncoder(*load(known), known, data.texts, trained=True).to(
            device
        )
    kept = features_file(given.values)
    if kept is not None:
        every = read_prepared(given.values["dataset"], frame)
        place = pd.Index(every.item).get_indexer(pd.Index(data.item))
        features = embeddings(name, every.texts, kept)[place]

    @cache  # The trials of a search share a split, and with it the features.
    def frozen(split: Split) -> FrozenFeatures:
        own = features if kept is not None else tfidf_features(data.texts, split.training)
        return FrozenFeatures(scale_to_unit_variance(own, split.training))

    return frozen


def optimisation(given: Given) -> Any:
    """The `training.Optimisation`: how models are trained, and what a search tries."""
    from crowdgold.papers.label_variation.training import Optimisation

    low, high = (float(rate) for rate in given.values["learning_rates"])
    if low > high:
        raise InputError(
            f"learning_rates: found {low:g} and {high:g}, expected the lowest, above 0, and the "
            "highest"
        )
    return Optimisation(
        given.whole("epochs"), given.whole("batch_size"), given.real("learning_rate"),
        given.real("warmup"), given.choice("repeated") == "each", given.whole("trials"),
        (low, high), tuple(map(int, given.values["batch_sizes"])),
    )  # fmt: skip


def run_of(given: Given, data: Prepared, frame: pd.DataFrame) -> Any:
    """The function (method, generator) -> `training.Run`."""
    from crowdgold.papers.label_variation.training import run
    from crowdgold.papers.label_variation.transformer_encoder import threads

    how, encoder = optimisation(given), encoder_of(given, data, frame)

    def trained(method: str, rng: np.random.Generator) -> Any:
        # Heads are small: a second thread would wait longer than it works, and change the last
        # digits.
        with threads(1):
            return run(method, data, encoder, how, rng)

    return trained


DEFAULTS = {  # of parameters that an experiment may leave out
    "subset": "",
    "warmup": 0.0,
    "repeated": "weighted",
    "fine_tuned": False,
    "device": "auto",
    "trials": 0,
    "learning_rates": (1e-4, 1e-1),
    "batch_sizes": (8, 16, 32, 64, 128),
}


def compute_label_variation(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Train by one method, once, and score the predictions of the test items: a row a metric.

    `share_error` and `train_share_error` are those of `training.Run`; `tied` is the share of all
    items whose majority is a matter of the rule for ties; `annotators` have annotations of training
    items of the first split, `annotations_each` is the median number of each one's (0 where they
    are not known), `annotations` the mean number of a training item; `all_items`,
    `all_annotations`, `all_annotators` and `classes` are what table 4 counts.
    """
    given = Given(
        "computation label_variation", DEFAULTS | dict(parameters), LabelVariationParameters
    )
    given.check_names()
    method, data = given.choice("method"), read_data(given, dataset)
    done = run_of(given, data, dataset)(method, rng)
    judged = data.judged
    training = judged.of_items(data.splits()[0].training).of_present_annotators()
    who = training.annotator_of
    about = {
        **titles(given, data), "items": len(done.predicted), "share_error": done.share_error,
        "train_share_error": done.train_share_error, "tied": float(judged.tied().mean()),
        "annotators": 0 if who is None else training.annotators,
        "annotations_each": 0.0 if who is None else float(np.median(np.bincount(who))),
        "annotations": float(training.counts.sum() / training.items),
        "all_items": judged.items, "all_annotations": int(judged.counts.sum()),
        "all_annotators": judged.annotators, "classes": judged.classes,
        "learning_rate": done.how.learning_rate, "batch_size": done.how.batch_size,
    }  # fmt: skip
    return pd.DataFrame([
        {**about, "metric": metric, "value": one.value, "note": one.note}
        for metric, one in done.scores.items()
    ])  # fmt: skip


def read_data(given: Given, dataset: pd.DataFrame) -> Prepared:
    """The items of the dataset, or of its subset, as arrays."""
    return read_prepared(given.choice("dataset"), dataset, str(given.values["subset"]))


def titles(given: Given, data: Prepared) -> dict[str, str]:
    """Name dataset and encoder for the reader of a figure, and say whether that was trained."""
    title = ENCODERS[given.values["encoder"]].title
    if given.values["encoder"] != TFIDF:
        title += ", fine-tuned" if given.values["fine_tuned"] else ", frozen"
    dataset = TITLES.get(str(given.values["subset"]), data.about.title)
    return {"dataset": dataset, "encoder": title}


TRAINING_NEEDS: dict[str, Any] = {  # arguments of `Computation`
    "dataset": lambda parameters: str(parameters["dataset"]),
    "packages": lambda parameters: ENCODERS[parameters["encoder"]].packages,
    "can_do_without": False,
    "features_file": features_file,
}
COMPUTATION = Computation(
    "label_variation", compute_label_variation, LabelVariationParameters, **TRAINING_NEEDS
)


@dataclass(frozen=True, kw_only=True)
class HumanRankingParameters(TrainingParameters):
    """All training methods on a dataset of judged texts. Annotators of the test items choose
    between what each two of them predict, and every metric is held against the scores that this
    gives (HLV, section 6, on public data).
    """

    runs: Annotated[int, AtLeast(1), "Models of each method, whose values are averaged."]
    permutations: Annotated[int, AtLeast(1), "Random permutations behind a p-value."]


def compute_human_ranking(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Train by all methods, have people choose between the predictions of each pair, and hold the
    metrics against the scores that this gives by rank centrality: a row for each judge, metric and
    method.

    `value` is the metric's mean over the runs (NaN where it is undefined in one); of the judge and
    metric there are the `correlation` of values and scores, over the `methods` whose value is
    known, and its `p_value`.
    """
    given = Given("computation human_ranking", DEFAULTS | dict(parameters), HumanRankingParameters)
    given.check_names()
    permutations, runs = given.whole("permutations"), given.whole("runs")
    data = read_data(given, dataset)
    allowed = data.about.annotators_known, data.about.multilabel
    methods = [name for name in METHODS if not why_left_out(name, *allowed)]
    training, splitting, testing = rng.spawn(3)
    values, choices = [], []
    for _ in range(runs):
        predicted = _predictions(methods, given, data, dataset, training)
        tested = data.judged.of_items(np.concatenate([one.test for one in data.splits()]))
        # Those with one annotation cannot be split.
        enough = np.bincount(tested.item_of, weights=tested.counts) > 1
        predicted = predicted[:, enough]
        reference, judges = halves(tested.of_items(np.flatnonzero(enough)), splitting)
        shares = reference.shares()
        values.append([score(shares, own, data.judged.multilabel) for own in predicted])
        choices.append({judge: choose(judges, predicted, judge) for judge in JUDGES})
    rows = []
    for judge in JUDGES:
        wins, undecided = (
            np.sum(own, axis=0) for own in zip(*(one[judge] for one in choices), strict=True)
        )
        # Half a win for both sides of a pair, so that a method without a win has a score too.
        scores = rank_centrality(wins, undecided, prior=0.5, names=methods)
        for metric in values[0][0]:
            mean = np.mean([[one[metric].value for one in run] for run in values], axis=0)
            known = np.isfinite(mean)
            correlation = p_value = np.nan
            # Of three methods or more, whose values and scores are not all alike.
            if known.sum() >= 3 and min(np.ptp(mean[known]), np.ptp(scores[known])) > 1e-9:
                correlation, p_value = permutation_test(
                    mean[known], scores[known], permutations, testing
                )
            about = {
                **titles(given, data), "judge": judge, "metric": metric,
                "methods": int(known.sum()), "correlation": correlation, "p_value": p_value,
            }  # fmt: skip
            rows += [
                {**about, "method": method, "score": its_score, "value": value}
                for method, its_score, value in zip(methods, scores, mean, strict=True)
            ]
    return pd.DataFrame(rows)


def _predictions(
    methods: list[str], given: Given, data: Prepared, frame: pd.DataFrame, rng: np.random.Generator
) -> np.ndarray:
    """Each method's predictions of the test items, of all splits together: (M, N, K)."""
    run = run_of(given, data, frame)
    return np.stack([run(method, rng).predicted for method in methods])


COMPUTATION_HUMAN_RANKING = Computation(
    "human_ranking", compute_human_ranking, HumanRankingParameters, **TRAINING_NEEDS
)

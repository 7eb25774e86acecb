"""Metrics of agents, of what they answered, and of who judged it (STABLEVAL, sections 3 to 5).

A category is a level of quality, worth a credit. Level shares say what each level counts of a
response: 1 for the majority vote's or the most probable one's, or posterior probabilities.

- of agents: `score`, the mean credit of its responses; `expected_score`, that of all responses that
  it could give, for which the former stands where a method says no more; `rank`, 1 for the highest
  score, ties averaged; `responses`, their number; `rank_sd` and `rank_range`, how far its rank
  moves under subsampling of annotators (`inference.agents`).
- of annotators, from their confusion matrices: `accuracy`, the mean of the diagonal; `leniency`,
  the mean of the highest level's column; `strictness`, that of the lowest level's.
- of responses: `ambiguity`, 1 - the largest posterior probability; `entropy` of the posterior, in
  nats, which the paper's text calls ambiguity; `level`, the most probable one.
- of the table: `labels`, `annotators`, `agents`, `labels_per_response`; `unanimous`, the share of
  responses whose labels are all equal; `pairwise`, the share of a response's pairs of labels that
  agree, the mean over responses (1 where it has one label); `ambiguous`, the share of responses of
  an ambiguity above 0.3.
- of the ranking: `stability`, the expected Kendall tau-b with that by a subset of annotators;
  `stability:labels`, with that by some of the labels of each response (table 5).

`NAME:each` has a value for each agent or annotator, `NAME:top` one for each of the ten most
ambiguous responses and those as ambiguous as the tenth; without either the mean, or of `responses`
the number of all.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

EXPECTED = "expected_score"
AGENTS = ("score", EXPECTED, "rank", "responses", "rank_sd", "rank_range")
ANNOTATORS = ("accuracy", "leniency", "strictness")
RESPONSES = ("ambiguity", "entropy", "level")
TABLE = (
    "labels", "annotators", "agents", "labels_per_response", "unanimous", "pairwise", "ambiguous",
)  # fmt: skip
STABILITY = "stability"
SPREAD = ("rank_sd", "rank_range")
EACH, TOP, LABELS = "each", "top", "labels"
FORMS = {
    **dict.fromkeys((*AGENTS, *ANNOTATORS), ("", EACH)), **dict.fromkeys(RESPONSES, ("", TOP)),
    **dict.fromkeys(TABLE, ("",)), STABILITY: ("", LABELS), "score": (EACH,), EXPECTED: (EACH,),
    "rank": (EACH,), "level": (TOP,),
}  # fmt: skip
"""Name of a metric -> what may stand after its colon."""
ALIKE = 1e-12
"""Numbers that differ by less are equal: equal scores of agents are sums in another order."""
MOST_AMBIGUOUS = 10
"""Responses of `:top`."""
AMBIGUOUS = 0.3
"""Ambiguity above this is high (tables 12, 17, 23 and 29)."""


@dataclass(frozen=True)
class AgentMetric:
    """A metric as a configuration names it: NAME[:OF]."""

    text: str  # as written
    name: str  # a key of `FORMS`
    of: str  # `EACH`, `TOP`, `LABELS`, or empty


def parse_agent_metric(text: str) -> AgentMetric:
    """Read a metric's name; `InputError` where there is no such metric, or not of this form."""
    name, _, of = text.partition(":")
    if name not in FORMS:
        raise InputError(
            f"no metric {name!r} of agents (in {text!r}); there are {', '.join(FORMS)}"
        )
    if of not in FORMS[name] or text.endswith(":"):
        forms = " or ".join(f"{name}:{form}" if form else name for form in FORMS[name])
        raise InputError(f"metric {text!r} should have the form {forms}")
    return AgentMetric(text, name, of)


def is_agent_metric(text: str) -> bool:
    """Whether a metric is one of these."""
    return text.partition(":")[0] in FORMS


def credit_of(annotations: Annotations) -> np.ndarray:
    """The credit of each level (K,): the table's, or even steps from 0 to 1."""
    if annotations.credit is not None:
        return annotations.credit
    return np.linspace(0, 1, len(annotations.category))


def agent_means(values: np.ndarray, annotations: Annotations) -> np.ndarray:
    """Each agent's mean of `values` (I,) over its responses with labels: (S,), NaN for none."""
    counted = (annotations.labels_of_item > 0) & (annotations.agent_of >= 0)
    whose, size = annotations.agent_of[counted], len(annotations.agent)
    total = np.bincount(whose, weights=values[counted], minlength=size)
    number = np.bincount(whose, minlength=size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0)


def agent_scores(shares: np.ndarray, annotations: Annotations) -> np.ndarray:
    """Each agent's mean credit of its responses with labels, by level shares (I, K): (S,)."""
    if len(annotations.agent) == 0:
        raise InputError("the table names no agents; expected a column 'agent'")
    return agent_means(shares @ credit_of(annotations), annotations)


def level_shares(levels: np.ndarray, categories: int) -> np.ndarray:
    """Level shares (I, K) of one level each; nothing counts where it is negative."""
    return np.asarray(levels[:, None] == np.arange(categories), dtype=float)


def steps(scores: np.ndarray) -> np.ndarray:
    """The place of each score among the distinct ones, from 0, along the last axis; NaN stays."""
    scores = np.asarray(scores, dtype=float)
    order = np.argsort(scores, axis=-1)
    above = np.diff(np.take_along_axis(scores, order, axis=-1), axis=-1) > ALIKE
    number = np.concatenate([np.zeros_like(scores[..., :1]), np.cumsum(above, axis=-1)], axis=-1)
    found = np.empty_like(scores)
    np.put_along_axis(found, order, number, axis=-1)
    return np.where(np.isnan(scores), np.nan, found)


def ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks, 1 for the highest score, ties averaged, along the last axis; NaN stays NaN."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-steps(scores), axis=-1, nan_policy="omit"), dtype=float)


def annotator_quality(confusion: np.ndarray) -> dict[str, np.ndarray]:
    """Each annotator's accuracy, leniency and strictness (A,) of matrices (A, K, K)."""
    diagonal = np.diagonal(confusion, axis1=1, axis2=2).mean(axis=1)
    quality = (diagonal, confusion[:, :, -1].mean(axis=1), confusion[:, :, 0].mean(axis=1))
    return dict(zip(ANNOTATORS, quality, strict=True))


def ambiguity(probability: np.ndarray) -> np.ndarray:
    """1 - the largest probability of each row: (I,) of (I, K)."""
    return np.asarray(1 - probability.max(axis=1))


def entropy(probability: np.ndarray) -> np.ndarray:
    """The entropy of each row in nats: (I,) of (I, K)."""
    from scipy.special import entr

    return np.asarray(entr(probability).sum(axis=1))


def table_statistic(name: str, annotations: Annotations) -> float:
    """A statistic of the table: one of `TABLE` but "ambiguous", or "responses"."""
    votes = annotations.votes()
    votes = votes[votes.sum(axis=1) > 0]
    number = votes.sum(axis=1)
    pairs = number * (number - 1) / 2
    agreeing = (votes * (votes - 1) / 2).sum(axis=1)
    found = {
        "labels": len(annotations), "responses": len(votes),
        "annotators": len(np.unique(annotations.annotator_of)), "agents": len(annotations.agent),
        "labels_per_response": number.mean(), "unanimous": (votes.max(axis=1) == number).mean(),
        "pairwise": np.where(pairs > 0, agreeing / np.maximum(pairs, 1), 1).mean(),
    }  # fmt: skip
    return float(found[name])

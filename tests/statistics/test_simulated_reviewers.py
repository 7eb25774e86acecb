"""CLARA's generator against theory: who labels what, with which rates, and the scores.

Monte Carlo comparisons are judged in standard errors of the number compared: at most 5, which a
right generator exceeds with probability 6e-7 a comparison. All seeds are fixed.
"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from crowdgold.simulate import simulate
from crowdgold.simulate.clara import draw_rates
from crowdgold.simulate.irt import draw_voters
from crowdgold.types.errors import InputError

TIE_BREAK = {"n": 60_000, "prevalence": 0.3, "n_reviewers": 5, "tpr": 0.8, "tnr": 0.9}
AUDIT = {
    "n": 60_000, "prevalence": 0.4, "design": "audit", "n_reviewers": 8, "n_auditors": 4,
    "reviewer_precision": 0.7, "auditor_precision": 0.9,
}  # fmt: skip
SCORES = {"negative_mean": -1, "positive_mean": 2, "sd": 2}


def draw(parameters, seed=1, **changes):
    return simulate("clara", parameters | changes, np.random.default_rng(seed))


def assert_share(found, expected, size):
    """Assert that a share of `size` independent trials is within 5 standard errors."""
    assert abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / size)


def assert_mean(values, expected):
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - expected) < 5 * error


def place_of(table):
    """Where each label stands among those of its item: (L,)."""
    first = np.cumsum(table.labels_of_item) - table.labels_of_item
    return np.arange(len(table)) - first[table.item_of]


@pytest.fixture(scope="module")
def tie_break():
    return draw(TIE_BREAK).table


@pytest.mark.parametrize(("category", "right"), [(1, 0.8), (0, 0.9)])
def test_tie_breaking_asks_a_third_where_two_differ(tie_break, category, right):
    """Of items of a class 2 q (1 - q) get a third label, and q^2 (3 - 2 q) a right majority."""
    own = tie_break.truth == category
    votes = tie_break.votes()[own]
    assert set(votes.sum(axis=1)) == {2, 3}
    assert set(map(tuple, votes)) == {(2, 0), (0, 2), (1, 2), (2, 1)}
    assert_share((votes.sum(axis=1) == 3).mean(), 2 * right * (1 - right), own.sum())
    majority = votes[:, category] >= 2
    assert_share(majority.mean(), right**2 * (3 - 2 * right), own.sum())
    # Each label by itself is right with chance q, the third too.
    for place in (0, 1, 2):
        here = own[tie_break.item_of] & (place_of(tie_break) == place)
        assert_share((tie_break.label[here] == category).mean(), right, here.sum())


def test_the_base_rate_is_the_prevalence(tie_break):
    assert_share(tie_break.truth.mean(), 0.3, len(tie_break.truth))


def test_every_order_of_reviewers_is_equally_likely():
    """24 ordered triples of 4 reviewers; chi-squared p > 1e-6. Floyd's order alone is refused: it
    would make the last reviewer break most ties."""
    table = draw(TIE_BREAK, n=24_000, n_reviewers=4, design="all", n_labels=3).table
    triples = table.annotator_of.reshape(-1, 3)
    unmixed = draw_voters(np.full(24_000, 3), 4, np.random.default_rng(2))
    orders = list(permutations(range(4), 3))
    for who, fair in ((triples, True), (unmixed, False)):
        count = Counter(map(tuple, who.tolist()))
        p = stats.chisquare([count[order] for order in orders]).pvalue
        assert (p > 1e-6) == fair


@pytest.mark.parametrize("prevalence", [0.4, 0.5])
def test_in_an_audit_precision_is_recall(prevalence):
    """Of the reviewers and of the auditors, who tie-break among themselves."""
    table = draw(AUDIT, prevalence=prevalence).table
    assert table.group.tolist() == ["reviewers", "auditors"]
    truth = table.truth[table.item_of]
    for group, p in enumerate((0.7, 0.9)):
        own = table.group_of == group
        called, positive = own & (table.label == 1), own & (truth == 1)
        if group == 1:  # a third auditor is asked by what two others said, and so says nothing new
            first = own & np.isin(place_of(table), (1, 2))
            called, positive = called & first, positive & first
        assert_share(truth[called].mean(), p, called.sum())
        assert_share(table.label[positive].mean(), p, positive.sum())
    audits = np.bincount(table.item_of[table.group_of == 1], minlength=len(table.item))
    assert set(audits) == {2, 3}
    assert (np.bincount(table.item_of[table.group_of == 0]) == 1).all()


def test_qualities_are_truncated_normals():
    """Mean and variance are scipy's of the normal cut to [0, 1]; 0.9 itself is refused."""
    rates = draw_rates(0.9, 0.05, 200_000, np.random.default_rng(3))
    assert rates.max() <= 1
    law = stats.truncnorm(-0.9 / 0.05, (1 - 0.9) / 0.05, 0.9, 0.05)
    assert law.mean() == pytest.approx(0.897, abs=5e-4)
    assert_mean(rates, law.mean())
    assert_mean((rates - law.mean()) ** 2, law.var())
    with pytest.raises(AssertionError):
        assert_mean(rates, 0.9)


def test_reviewers_have_rates_of_their_own():
    """100 reviewers: each one's share of right labels has its binomial error (chi-squared)."""
    replicate = draw(TIE_BREAK, n=100_000, n_reviewers=100, quality_sd=0.1)
    table, known = replicate.table, replicate.parameters
    assert "TPR" not in known
    truth = table.truth[table.item_of]
    for name, category in (("TPR", 1), ("TNR", 0)):
        own = (truth == category) & (place_of(table) < 2)
        labels = np.bincount(table.annotator_of[own], minlength=100)
        right = np.bincount(table.annotator_of[own & (table.label == category)], minlength=100)
        rate = np.array([known[f"{name}:{one}"] for one in table.annotator])
        score = (right - labels * rate) ** 2 / (labels * rate * (1 - rate))
        assert 1e-6 < stats.chi2.cdf(score.sum(), 100) < 1 - 1e-6
        assert np.ptp(rate) > 0.2


def test_types_of_raters_take_turns():
    replicate = draw(
        {"n": 30, "prevalence": 0.1, "n_reviewers": 4, "design": "all", "n_labels": 3,
         "rater_types": [0.6, 0.8, 0.9]}
    )  # fmt: skip
    found = [replicate.parameters[f"{rate}:R{i}"] for rate in ("TPR", "TNR") for i in (1, 2, 3, 4)]
    assert found == [0.6, 0.8, 0.9, 0.6] * 2
    assert set(replicate.table.labels_of_item) == {3}


def test_the_rate_drops_on_its_day():
    dropping = TIE_BREAK | {"n": 20, "tpr_drop": {"day": 15, "tpr": 0.5}}
    found = [draw(dropping, day=day).parameters["TPR"] for day in (1, 14, 15, 30)]
    assert found == [0.8, 0.8, 0.5, 0.5]
    assert draw(dropping, day=20).parameters["TNR"] == 0.9


def test_scores_are_sigmoids_of_normals():
    table = draw(TIE_BREAK, scores=SCORES).table
    (vectors,) = table.scores.values()
    np.testing.assert_allclose(vectors.sum(axis=1), 1, rtol=1e-12)
    raw = logit(vectors[:, 1])
    for category, mean in ((0, -1), (1, 2)):
        own = raw[table.truth == category]
        assert_mean(own, mean)
        assert_mean((own - mean) ** 2, 4)
    apart = draw(TIE_BREAK, scores=SCORES, separation="4").table
    assert_mean(logit(apart.scores["score"][apart.truth == 1, 1]), 4)
    assert_mean(logit(apart.scores["score"][apart.truth == 0, 1]), -4)
    assert not draw(TIE_BREAK, n=20, scores=SCORES, separation="none").table.scores


def test_what_is_true_is_known():
    found = draw(TIE_BREAK, n=20).parameters
    assert found["prevalence"] == 0.3
    assert (found["TPR"], found["TNR"], found["TPR:R5"], found["TNR:R1"]) == (0.8, 0.9, 0.8, 0.9)
    found = draw(AUDIT, n=20).parameters
    assert (found["TPR:reviewers"], found["TPR:auditors"]) == (0.7, 0.9)
    assert found["TNR:reviewers"] == pytest.approx(1 - 0.4 * 0.3 / 0.6)
    assert "TPR" not in found


def test_who_gives_no_label_is_not_in_the_table():
    table = draw(TIE_BREAK, n=10, n_reviewers=500).table
    assert len(table.annotator) < 40
    assert set(table.annotator_of) == set(range(len(table.annotator)))


def test_the_seed_decides_everything():
    first, again, other = (draw(AUDIT, seed, n=200).table.to_frame() for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.parametrize(
    ("parameters", "changes", "message"),
    [
        (TIE_BREAK, {"n_reviewers": 2}, "'n_reviewers': found 2, expected a whole number at least"),
        (TIE_BREAK, {"tpr": 1.1}, "'tpr': found 1.1, expected a number from 0 to 1"),
        (TIE_BREAK, {"quality_sd": -1}, "'quality_sd': found -1, expected a number from 0 to 1"),
        (TIE_BREAK, {"prevalence": 1}, "'prevalence': found 1, expected a number above 0 and"),
        (TIE_BREAK, {"design": "tie_brake"}, "no design 'tie_brake'; did you mean 'tie_break'"),
        (TIE_BREAK, {"n_labels": 3}, "design tie_break: no parameter 'n_labels'"),
        (TIE_BREAK, {"rater_types": [0.6]}, "design tie_break: no parameter 'tpr'"),
        (TIE_BREAK, {"design": "all"}, "'n_labels' is missing"),
        (TIE_BREAK, {"scores": {"sd": 2}}, "scores: parameter 'negative_mean' is missing"),
        (TIE_BREAK, {"scores": SCORES | {"sd": 0}}, "scores: parameter 'sd': found 0"),
        (TIE_BREAK, {"scores": {"negative_mean": 1, "positive_mean": 1, "sd": 1}}, "expected two"),
        (TIE_BREAK, {"scores": SCORES, "separation": -1}, "'separation': found -1, expected a num"),
        (TIE_BREAK, {"separation": 4}, "'scores' is missing"),
        (TIE_BREAK, {"tpr_drop": {"day": 15, "tpr": 0.5}}, "'day' is missing"),
        (TIE_BREAK, {"day": 1, "tpr_drop": {"day": 15}}, "tpr_drop: parameter 'tpr' is missing"),
        (AUDIT, {"tpr": 0.9}, "design audit: no parameter 'tpr'"),
        (AUDIT, {"n_auditors": 2}, "'n_auditors': found 2, expected a whole number at least 3"),
        (
            AUDIT,
            {"auditor_precision": 0},
            "found 0, expected a number that is above 0 and at",
        ),
        (TIE_BREAK, {"scores": 2}, "found 2, expected {negative_mean: number, positive_mean: "),
        (
            AUDIT,
            {"prevalence": 0.8, "reviewer_precision": 0.7},
            "found 0.7, expected more than 0.75",
        ),
    ],
)
def test_an_impossible_parameter_is_named(parameters, changes, message):
    with pytest.raises(InputError, match=message):
        draw(parameters | {"n": 20}, **changes)


@pytest.mark.parametrize("parameters", [TIE_BREAK, AUDIT])
def test_every_missing_parameter_is_named(parameters):
    for missing in set(parameters) - {"design"}:
        rest = {key: value for key, value in parameters.items() if key != missing}
        with pytest.raises(InputError, match=missing):
            simulate("clara", rest, np.random.default_rng(0))

"""What results decide of a claim: intervals against a region, in every, any or most cells."""

import itertools

import numpy as np
import pytest
from scipy import stats

from crowdgold.claims.cells import ClaimError, cells_of
from crowdgold.claims.predicates import GROWTH, TAIL, at_least, decide, holm, replicates_in_words
from crowdgold.experiment.summaries import share_error


def cells(*values, error=0.1, replicates=np.nan, degrees=None):
    """Cells of a normal error where no replicates are told."""
    names = [f"cell {k}" for k in range(len(values))]
    degrees = (np.inf if np.isnan(replicates) else np.nan) if degrees is None else degrees
    return cells_of("value", names, values, [error] * len(values), None, replicates, degrees)


def held(decision):
    return {(True, False): "holds", (False, True): "fails"}.get(
        (decision.holds, decision.fails), "open"
    )


def closed_holm(chances, level):
    """Which hypotheses the closed test by Bonferroni rejects: each intersection that holds one."""
    everyone = range(len(chances))
    return [
        all(
            min(chances[k] for k in some) * len(some) <= level
            for size in range(1, len(chances) + 1)
            for some in itertools.combinations(everyone, size)
            if one in some
        )
        for one in everyone
    ]


@pytest.mark.parametrize("seed", range(5))
def test_holm_rejects_what_the_closed_test_does(seed):
    chances = np.random.default_rng(seed).beta(0.3, 3, size=6)
    for level in (0.01, 0.025, 0.05, 0.2, 0.5):
        assert list(holm(chances) <= level) == closed_holm(chances, level)


def test_at_least_so_many_is_between_the_least_and_the_most():
    """One of m is Holm's first step, all of m the largest, more are never surer than fewer."""
    chances = np.array([0.2, 0.001, 0.03, 0.004])
    assert at_least(chances, 1) == pytest.approx(0.004)
    assert at_least(chances, 1) == pytest.approx(holm(chances).min())
    assert at_least(chances, 4) == chances.max()
    assert at_least(chances, 2) == pytest.approx(3 * 0.004)


@pytest.mark.parametrize(
    ("value", "low", "high", "found"),
    [
        (0.79, None, 1, "holds"), (0.81, None, 1, "open"), (1.19, None, 1, "open"),
        (1.21, None, 1, "fails"), (0.1, -0.5, 0.5, "holds"), (-0.1, -0.5, 0.5, "holds"),
        (0.4, -0.5, 0.5, "open"), (0.6, -0.5, 0.5, "open"), (-0.71, -0.5, 0.5, "fails"),
        (0.71, -0.5, 0.5, "fails"),
    ],
)  # fmt: skip
def test_a_cell_counts_where_its_whole_interval_does(value, low, high, found):
    """An interval of 1.96 errors of .1 each way; the region is left on either side."""
    ends = {"low": low, "high": high} if low is not None else {"high": high}
    assert held(decide(cells(value), **ends)) == found


def test_an_interval_wider_than_the_region_decides_nothing():
    for value in np.linspace(-1, 1, 21):
        assert not decide(cells(value, error=1.0), -0.5, 0.5).holds


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((0.5, 0.5, 0.5), ("holds", "holds", "holds")),
        ((0.5, 0.5, 0.95), ("open", "holds", "holds")),
        ((0.5, 0.95, 0.95), ("open", "holds", "open")),
        ((0.5, 0.5, 1.5), ("fails", "holds", "holds")),
        ((0.5, 1.5, 1.5), ("fails", "holds", "fails")),
        ((1.5, 1.5, 1.5), ("fails", "fails", "fails")),
    ],
)
def test_every_any_and_most_cells(values, wanted):
    """Clear is .5, unclear .95, and against the claim 1.5."""
    for inside, verdict in zip(("every", "any", "most"), wanted, strict=True):
        assert held(decide(cells(*values), high=1, inside=inside)) == verdict


def test_looking_at_many_cells_is_corrected_where_one_is_enough():
    """2.2 errors are clear of one cell, not of one among twenty; all of twenty need no more."""
    one = 1 + 0.1 * 2.2
    assert held(decide(cells(one), high=1)) == "fails"
    assert held(decide(cells(one, *[0.5] * 19), high=1)) == "open"
    assert held(decide(cells(2 - one, *[1.5] * 19), high=1, inside="any")) == "open"
    assert held(decide(cells(*[2 - one] * 20), high=1)) == "holds"
    assert held(decide(cells(one), high=1, looks=2)) == "open"


def test_chance_decides_no_more_often_than_its_level():
    """True values on the margin, ten cells: by chance a claim fails in 2.5 % of 400 tables.

    Without a correction it would in 22 %; the band is 4.5 standard errors of a share wide.
    """
    rng = np.random.default_rng(3)
    draws = rng.normal(1, 0.1, size=(400, 10))
    wrong = np.mean([decide(cells(*row), high=1).fails for row in draws])
    assert wrong < TAIL + 4.5 * np.sqrt(TAIL * (1 - TAIL) / len(draws))
    assert wrong > 0


def test_what_degrees_of_freedom_an_error_has_decides():
    reach = stats.t.isf(TAIL, 4) * 0.1
    assert held(decide(cells(1 - reach * 1.01, replicates=5), high=1)) == "holds"
    assert held(decide(cells(1 - reach * 0.99, replicates=5), high=1)) == "open"
    # 4.04 errors beyond: a quarter of the tail at 3 degrees of freedom is more than a half.
    value = 1 + 4.04 * 0.1
    assert held(decide(cells(value, value, degrees=3), high=1)) == "open"
    assert held(decide(cells(value, degrees=3), high=1)) == "fails"
    assert held(decide(cells(value, value), high=1)) == "fails"
    assert replicates_in_words(cells(value, degrees=3)) == "3 degrees of freedom"
    unknown = cells_of("saving", [""], [0.5], [0.1])
    with pytest.raises(ClaimError, match="saving: an error without replicates or degrees"):
        decide(unknown, high=1)
    assert held(decide(cells_of("saving", [""], [0.5]), high=1)) == "holds"
    assert held(decide(cells_of("saving", [""], [0.5], [np.nan]), high=1)) == "open"


def test_exact_values_unknown_errors_and_replicates_that_are_all_alike():
    assert held(decide(cells(0.999, error=0), high=1)) == "holds"
    assert held(decide(cells(1, error=0), high=1)) == "fails"
    assert held(decide(cells(np.nan, error=0), high=1)) == "open"
    assert held(decide(cells(0.5, error=np.nan), high=1)) == "open"
    assert held(decide(cells(0.5, error=0, replicates=3), high=1)) == "open"
    assert held(decide(cells(0.5, error=1e-17, replicates=3), high=1)) == "open"
    assert held(decide(cells(0.5, error=0, replicates=100), high=1)) == "holds"


@pytest.mark.parametrize(("value", "inside"), [(0.93, "every"), (1.05, "every"), (0.9, "any")])
def test_the_replicates_that_are_asked_for_decide_it(value, inside):
    """With so many the same values decide, with a tenth fewer they do not."""
    made = cells(value, *[0.99] * (inside == "any"), replicates=20)
    decision = decide(made, high=1, inside=inside)
    assert held(decision) == "open"

    def at(replicates):
        error = 0.1 * np.sqrt(20 / replicates)
        less = cells(value, *[0.99] * (inside == "any"), error=error, replicates=replicates)
        return held(decide(less, high=1, inside=inside))

    assert at(decision.needed * 1.1) != "open"
    assert at(decision.needed * 0.9) == "open"


@pytest.mark.parametrize(("fixed", "decided"), [(0.0, True), (0.02, True), (0.06, False)])
def test_no_replicates_take_away_the_error_of_what_is_printed(fixed, decided):
    """A gap of .07 is two errors at most, and one of .06 that stays leaves it open for good."""

    def made(replicates):
        error = [np.hypot(0.1 * np.sqrt(20 / replicates), fixed)]
        return cells_of("", [""], [0.93], error, None, replicates, fixed=fixed)

    needed = decide(made(20), high=1).needed
    assert np.isfinite(needed) == decided
    if decided:
        assert held(decide(made(1.1 * needed), high=1)) == "holds"
        assert held(decide(made(0.9 * needed), high=1)) == "open"
    else:
        assert held(decide(made(1e9), high=1)) == "open"


def shares(right, trials):
    """A cell that is the share of these trials that came out right."""
    error = share_error(right / trials, trials)
    return cells_of("share", ["cell"], [right / trials], [error], None, trials, trials=trials)


@pytest.mark.parametrize("trials", [20, 58, 200])
@pytest.mark.parametrize("side", ["low", "high"])
def test_a_share_is_decided_no_more_often_than_its_level(trials, side):
    """Exactly, over all that can come out where the true share is at the margin: against the claim
    and for it. The control, Student's t with the same error, decides more often of 58 that should
    be 0.95."""
    margin = 0.95 if side == "low" else 0.05
    chance = stats.binom.pmf(np.arange(trials + 1), trials, margin)
    found = [held(decide(shares(right, trials), **{side: margin})) for right in range(trials + 1)]
    for verdict in ("holds", "fails"):
        assert chance[np.array(found) == verdict].sum() <= TAIL
    if trials == 58:
        right = 58 if side == "low" else 0
        share = shares(right, 58)
        by_t = cells_of("share", ["cell"], share.rows["value"], share.rows["error"], None, 58)
        assert held(decide(by_t, **{side: margin})) == "holds"
        assert chance[right] > TAIL


def test_a_share_in_a_region_asks_for_the_trials_that_decide_it():
    # All of 58 are right: 72 would be enough for 0.95, as 0.95 ** 72 is below the tail; the next
    # step above it is told. Nothing is told of a share that nobody could see the other side of.
    needed = decide(shares(58, 58), low=0.95).needed
    assert 72 <= needed <= 72 * 1.05 + 1
    assert held(decide(shares(int(needed), int(needed)), low=0.95)) == "holds"
    nothing = cells_of("share", ["cell"], [np.nan], [np.nan], None, 0, trials=0)
    assert held(decide(nothing, low=0.95)) == "open"
    # Of 1,000, .95 lies within .02 of itself, and .93 and .97 do not; .90 and .99 are outside.
    found = [held(decide(shares(right, 1000), low=0.93, high=0.97)) for right in (950, 935, 965)]
    assert found == ["holds", "open", "open"]
    outside = [held(decide(shares(right, 1000), low=0.93, high=0.97)) for right in (900, 990)]
    assert outside == ["fails", "fails"]
    # Of two cells the one that is not decided says how many are needed, whatever the other has.
    both = cells_of("share", ["a", "b"], [1.0, 1.0], [0.01, 0.001], None, [58, 1500],
                    trials=[58, 1500])  # fmt: skip
    assert decide(both, low=0.95).needed == decide(shares(58, 58), low=0.95).needed
    # Where three of four studies give no trial, four times as many studies are needed.
    few = cells_of("share", ["a"], [1.0], [0.01], None, 4 * 58, trials=58)
    needed = decide(few, low=0.95).needed
    assert needed == pytest.approx(4 * decide(shares(58, 58), low=0.95).needed, abs=4)


def test_a_number_of_trials_that_decides_by_luck_is_not_told():
    """98 of 100 for a margin of .95: from the number that is told on all steps decide. Control:
    a smaller one decides too, and a step after it does not."""
    sizes = np.ceil(100 * GROWTH[:60] - 1e-6).astype(int)
    found = [held(decide(shares(int(0.98 * n + 1e-6), n), low=0.95)) == "holds" for n in sizes]
    needed = decide(shares(98, 100), low=0.95).needed
    assert all(right for n, right in zip(sizes, found, strict=True) if n >= needed)
    before = [right for n, right in zip(sizes, found, strict=True) if n < needed]
    assert any(before)
    assert not before[-1]


def test_replicates_are_told():
    assert replicates_in_words(cells(0.5, replicates=20)) == "20"
    assert replicates_in_words(cells(0.5, replicates=20), 123.4) == "20; some 130 needed"
    assert replicates_in_words(cells(0.5, error=0)) == "exact"
    assert replicates_in_words(cells(0.5, error=np.nan, replicates=1)) == "1; more"
    far = decide(cells(1.0, replicates=20), high=1)
    assert "too near" in replicates_in_words(cells(1.0, replicates=20), far.needed)


def wrong_sides(looks, most, asked):
    """The share of 100,000 values on their margin that seem to be on its wrong side, by look.

    Further replicates are those that the last look seemed to need, or always as many again.
    """
    rng, runs, far = np.random.default_rng(8), 100_000, stats.norm.isf(TAIL)
    number, shares = np.full(runs, 20), []
    total = rng.normal(0, np.sqrt(number))
    left, wrong = np.ones(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for _ in range(looks):
        z = total / np.sqrt(number)
        wrong |= left & (z < -far)
        left &= np.abs(z) < far
        shares.append(wrong.mean())
        needed = np.ceil(number * (far / np.maximum(np.abs(z), 1e-9)) ** 2) if asked else 2 * number
        more = np.where(left, np.clip(needed, number + 1, max(most, number.max() + 1)) - number, 0)
        total += rng.normal(0, 1, runs) * np.sqrt(more)
        number = number + more
    return shares


def test_looking_again_errs_as_often_as_docs_verdicts_says():
    """2.5 % at the first look, some 10 % after the fourth, where 10,000 replicates are the most.

    Five standard errors of the shares are .0025 and .005. The control has sizes that do not depend
    on what was seen, and errs less often.
    """
    asked, fixed = (wrong_sides(4, 10_000, one) for one in (True, False))
    assert asked[0] == pytest.approx(0.025, abs=0.0025)
    assert asked[3] == pytest.approx(0.1, abs=0.005)
    assert fixed[3] < asked[3] - 0.02

"""CLARA's samplers where they are hard to get right: paper's size, swapped categories, scores."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from clara_reference import draw_labels, enumerated, error_of, grid_posterior, with_scores
from scipy.stats import ks_2samp

from crowdgold.models.clara import gibbs as clara
from crowdgold.models.clara import gibbs as clara_runs
from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.model import ClaraPrior, empirical_prior
from crowdgold.types.annotations import annotations_from_frame

LONG = {"chains": 4, "warmup": 500, "draws": 10_000, "lag": 4}
ONE = {"chains": 1, "warmup": 500, "draws": 40_000, "lag": 4}
"""As many draws of one chain, which is not diagnosed: that takes longer than the chain."""


def three_categories(size, rng):
    """Three labels an item of four annotators in two groups, K = 3."""
    psi = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    truth = rng.choice(3, size, p=[0.5, 0.3, 0.2])
    who = np.argsort(rng.random((size, 4)), axis=1)[:, :3]
    label = (psi[truth].cumsum(axis=1)[:, None] < rng.random((size, 3, 1))).sum(axis=2)
    rows = [
        (str(i), str(a), "xyz"[r], "even" if a % 2 == 0 else "odd")
        for i in range(size)
        for a, r in zip(who[i], label[i], strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label", "group"])
    return annotations_from_frame(frame, categories=["x", "y", "z"])


@pytest.mark.parametrize("confusion", ["shared", "group", "annotator"])
@pytest.mark.parametrize("sampler", ["collapsed", "blocked"])
def test_three_categories_against_enumeration(sampler, confusion):
    """Six items, 729 assignments; 5 errors of 40,000 draws of autocorrelation time 10 at most.

    The control, that the enumeration of another kind of matrices is out of the band, is exact.
    """
    annotations = three_categories(6, np.random.default_rng(3))
    prior = ClaraPrior(
        np.array([1.2, 0.8, 1.0]), np.array([[2.0, 0.7, 0.5], [0.5, 1.5, 0.6], [0.4, 0.9, 1.8]])
    )
    exact = enumerated(annotations, prior, confusion)
    found = sample_clara(
        annotations, prior, ClaraSettings(confusion, sampler, **ONE), np.random.default_rng(4)
    )
    error = np.sqrt(exact * (1 - exact) * 10 / 40_000)
    assert (np.abs(found.probability - exact) < 5 * error).all()
    other = enumerated(annotations, prior, "shared" if confusion != "shared" else "annotator")
    assert (np.abs(found.probability - other) > 5 * error).any()


def entries(fit):
    """Prevalence, TPR and TNR of the first matrix, all draws of all chains."""
    picked = fit.theta[..., 1], fit.psi[..., 0, 1, 1], fit.psi[..., 0, 0, 0]
    return [values.ravel() for values in picked]


def differ(one, other):
    """Smallest p-value of a Kolmogorov-Smirnov test over prevalence, TPR and TNR."""
    pairs = zip(entries(one), entries(other), strict=True)
    return min(ks_2samp(*pair).pvalue for pair in pairs)


def test_both_samplers_have_one_distribution_at_the_papers_size(monkeypatch):
    """2,000 items, shared matrix: Kolmogorov-Smirnov at 1e-4 for prevalence, TPR and TNR.

    Draws 20 sweeps apart are nearly independent, by their effective sample size of 1,600. The
    control must fail: a sampler that forgets how often an item has a label.
    """
    annotations = draw_labels(2000, 0.3, 0.8, 0.9, np.random.default_rng(26))
    prior = empirical_prior(annotations)

    def run(sampler, seed):
        settings = ClaraSettings("shared", sampler, chains=4, warmup=500, draws=400, lag=20)
        return sample_clara(annotations, prior, settings, np.random.default_rng(seed))

    blocked, collapsed = run("blocked", 27), run("collapsed", 28)
    assert min(fit.diagnostics.ess_bulk for fit in (blocked, collapsed)) > 1200
    assert differ(blocked, collapsed) > 1e-4
    lay_out = clara.lay_out
    monkeypatch.setattr(
        clara,
        "lay_out",
        lambda found, exact: lay_out(replace(found, times=np.ones_like(found.times)), exact),
    )
    assert differ(run("blocked", 29), collapsed) < 1e-4


def test_swapped_categories_near_a_half():
    """40 items, TPR 0.5: the mode with TPR + TNR < 1 has the weight that a grid gives it.

    Within 5 Monte Carlo errors by batches, and what a grid of half as many points would change.
    The cut prior rules the mode out; the control is that the mean of TPR is then another.
    """
    annotations = draw_labels(40, 0.4, 0.5, 0.7, np.random.default_rng(14))
    prior = ClaraPrior(np.array([1.0, 1.0]), np.array([[1.5, 0.5], [0.5, 1.5]]))
    exact, coarse = (grid_posterior(annotations, prior, False, size) for size in (90, 45))
    allowed = abs(exact["swapped"][0] - coarse["swapped"][0])
    for sampler in ("blocked", "collapsed"):
        found = sample_clara(
            annotations, prior, ClaraSettings("shared", sampler, **LONG), np.random.default_rng(15)
        )
        below = found.psi[..., 0, 0, 0] + found.psi[..., 0, 1, 1] < 1
        assert found.swapped == below.mean()
        assert abs(found.swapped - exact["swapped"][0]) < 5 * error_of(below) + allowed
        assert any("labels swapped" in text for text in found.diagnostics.notes)
    cut = sample_clara(
        annotations, prior, ClaraSettings("shared", ordered=True, **LONG), np.random.default_rng(16)
    )
    assert cut.swapped == 0
    assert not cut.diagnostics.message
    tpr = cut.psi[..., 0, 1, 1].astype(float)
    fine, rough = (grid_posterior(annotations, prior, True, size)["tpr"][0] for size in (90, 45))
    band = 5 * error_of(tpr) + abs(fine - rough)
    assert abs(tpr.mean() - fine) < band
    assert abs(tpr.mean() - exact["tpr"][0]) > band


@pytest.mark.parametrize("separation", [1, 4])
def test_log_ratios_recover_prevalence_where_scores_as_given_do_not(separation):
    """Section 7.3 at prevalence .05, TPR .8, TNR .9; errors against the share of positives.

    Over eight data sets the mean error is within 5 of its standard errors for log ratios. As given,
    which must fail, a third is off by more than .1 and by ten posterior standard deviations. A firm
    prior leaves the mode with swapped categories without weight.
    """
    errors, away = {"given": [], "log_ratio": []}, []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        annotations = with_scores(draw_labels(2000, 0.05, 0.8, 0.9, rng), separation, rng)
        for scale, off in errors.items():
            settings = ClaraSettings(
                "shared", score_scale=scale, chains=1, warmup=200, draws=100, lag=3
            )
            found = sample_clara(annotations, empirical_prior(annotations, gamma=10), settings, rng)
            theta = found.theta[..., 1]
            off.append(theta.mean() - annotations.truth.mean())
            if scale == "given":
                away.append(off[-1] > max(0.1, 10 * theta.std()))
    good = np.array(errors["log_ratio"])
    assert abs(good.mean()) < 5 * good.std(ddof=1) / np.sqrt(len(good))
    assert np.mean(away) > 0.3


def test_both_samplers_have_one_distribution_with_scores():
    """Distributions of scores drawn from their posterior, so that both are Gibbs samplers.

    Thinned to 400 nearly independent draws; p-values at 1e-4. The control leaves the scores out.
    """
    rng = np.random.default_rng(17)
    annotations = with_scores(draw_labels(150, 0.3, 0.8, 0.9, rng), 1, rng)
    missing = annotations.scores["model"].copy()
    missing[::5] = np.nan
    annotations = replace(annotations, scores={"model": missing})
    prior = empirical_prior(annotations, gamma=4.0)
    found = [
        sample_clara(
            data, prior,
            ClaraSettings(
                "shared", sampler, gaussians="posterior", score_scale="log_ratio",
                chains=4, warmup=500, draws=100, lag=60,
            ),
            np.random.default_rng(seed),
        )
        for seed, sampler, data in (
            (18, "blocked", annotations),
            (19, "collapsed", annotations),
            (20, "blocked", replace(annotations, scores={})),
        )
    ]  # fmt: skip
    assert differ(found[0], found[1]) > 1e-4
    assert differ(found[0], found[2]) < 1e-4


@pytest.mark.parametrize("sampler", ["collapsed", "blocked"])
def test_items_may_have_thousands_of_labels(sampler):
    """Products of 3,000 chances are below the smallest number; the categories are clear, and which
    is which says a firm prior."""
    share = {"0": 0.3, "1": 0.7, "2": 0.2}
    rows = [
        (item, str(annotator), str(int(annotator < part * 3000)))
        for item, part in share.items()
        for annotator in range(3000)
    ]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    annotations = annotations_from_frame(frame)
    settings = ClaraSettings("shared", sampler, chains=2, warmup=50, draws=50, lag=1)
    prior = empirical_prior(annotations, gamma=100)
    found = sample_clara(annotations, prior, settings, np.random.default_rng(21))
    np.testing.assert_allclose(found.probability[:, 1], [0, 1, 0], atol=1e-6)


def test_confusion_matrices_are_thinned_where_they_would_fill_the_memory(monkeypatch):
    """Same draws, of which some matrices are kept, fewer of chains that are continued; the rest of
    the fit is what it was."""
    annotations = draw_labels(100, 0.3, 0.8, 0.9, np.random.default_rng(22))
    settings = ClaraSettings("annotator", chains=2, warmup=50, draws=100, lag=1)
    whole, part = [], []
    little = 2 * 100 * 3 * 4 * 4 // 3 + 1
    for fits, most in ((whole, clara_runs.PSI_BYTES), (part, little)):
        monkeypatch.setattr(clara_runs, "PSI_BYTES", most)
        prior = empirical_prior(annotations)
        fits.append(sample_clara(annotations, prior, settings, np.random.default_rng(23)))
    (whole,), (part,) = whole, part
    assert whole.psi_step == 1
    times = part.theta.shape[1] // 100
    assert times > 1
    assert part.psi_step == 3 * times
    assert part.psi.nbytes < little + 2 * 3 * 4 * 4
    np.testing.assert_array_equal(part.psi, whole.psi[:, :: part.psi_step])
    np.testing.assert_array_equal(part.theta, whole.theta)
    assert np.isfinite(part.diagnostics.rhat)


def test_memory_is_linear_in_the_labels():
    """Ten times the items take at most eleven times the memory, and less than 1 kB an item."""
    peaks = []
    for size in (2_000, 20_000):
        annotations = draw_labels(size, 0.3, 0.8, 0.9, np.random.default_rng(24), annotators=50)
        settings = ClaraSettings("annotator", chains=1, warmup=2, draws=2, lag=1)
        prior = empirical_prior(annotations)
        tracemalloc.start()
        sample_clara(annotations, prior, settings, np.random.default_rng(25))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 11 * peaks[0]
    assert peaks[1] < 1_000 * 20_000

"""Versions of MAVEN with one suspect removed: what is told reaches the votes' side and no more."""

import numpy as np
import pytest

from crowdgold.methods.maven import MavenSettings, fit_maven
from crowdgold.methods.method import Run
from crowdgold.models.stan import SamplerSettings
from crowdgold.papers.maven.experiments import ALL_GOLD, VERSIONS, compute_bias_causes
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

STUDY = {
    "n": 400, "n_gold": 60, "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5,
    "votes_total": 3, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
CHECK = {
    "simulator": "maven", "study": STUDY, "metrics": ["AUC", "precision@1.5", "mu"],
    "versions": ["MAVEN-C", "MAVEN-C, prior of mu at 0.05", "MAVEN-C, votes known"],
    "chains": 2, "warmup": 200, "draws": 200, "imputations": 60,
}  # fmt: skip


def test_a_vote_model_that_is_told_the_truth_knows_it(stan):
    """phi has the Beta posterior of all 400 labels: its mean within 5 Monte Carlo errors of 400
    nearly independent draws, its deviation within 20 %, 5 errors of that of 400 draws; told 60
    labels it is far wider, and the score model's gold labels stay the 60."""
    items = simulate("maven", STUDY, np.random.default_rng(1)).table
    told = items.with_gold(np.ones(len(items), dtype=bool))
    run = Run(stan, SamplerSettings(chains=4, warmup=300, draws=400), 400)
    settings = MavenSettings(score_likelihood="calibrated")
    fits = {
        name: fit_maven(
            items, np.random.default_rng(2), settings, run, vote_items=votes
        ).labels.parameters["phi"]
        for name, votes in (("told", told), ("not", items))
    }
    positive = int(items.truth.sum())
    n = len(items)
    mean = (positive + 1) / (n + 2)
    deviation = np.sqrt(mean * (1 - mean) / (n + 3))
    assert abs(fits["told"].mean() - mean) <= 5 * deviation / np.sqrt(400)
    assert abs(fits["told"].std() / deviation - 1) <= 0.2
    assert fits["not"].std() > 1.5 * deviation


def test_the_check_gives_every_version_and_metric(stan):
    rows = compute_bias_causes(CHECK, np.random.default_rng(3), stan)
    assert rows.groupby("version", sort=False)["metric"].apply(list).to_dict() == dict.fromkeys(
        CHECK["versions"], CHECK["metrics"]
    )
    assert rows.groupby("metric")["truth"].nunique().eq(1).all()
    assert set(rows.loc[rows["metric"] == "mu", "truth"]) == {1.0}
    assert (rows["lower"] < rows["upper"]).all()
    assert set(rows["world"]) == {"Algorithm 1, 400 items, 60 gold labels"}
    assert rows.groupby("metric")["estimate"].nunique().eq(3).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"versions": ["MAVEN-D"]}, "no version 'MAVEN-D'; did you mean"),
        ({"simulator": "clara"}, "no simulator 'clara'; there are maven, irt"),
        ({"draws": 0}, "'draws': found 0"),
        ({"study": {**STUDY, "phi": 2}}, "'phi': found 2"),
        ({"draw": 1}, "no parameter 'draw'"),
    ],
)
def test_what_cannot_be_is_named(changes, message):
    with pytest.raises(InputError, match=message):
        compute_bias_causes(CHECK | changes, np.random.default_rng(4), None)


def test_versions_differ_from_their_subject_in_one_thing():
    subject = VERSIONS["MAVEN-C"]
    for name, version in VERSIONS.items():
        changed = {"mu_prior"} if "prior" in name else set(version.items() ^ subject.items())
        assert len(changed) + (name in ALL_GOLD) == (
            0 if name == "MAVEN-C" else 2 if name == "MAVEN, votes known" else 1
        )

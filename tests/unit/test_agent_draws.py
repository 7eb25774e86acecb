"""Intervals of agents' scores from refits in two ways and from the posterior."""

import numpy as np
import pytest

from crowdgold.inference.agents import evaluate_agents
from crowdgold.methods.registry import fit
from crowdgold.models.confusion_em import labels_drawn, resample_annotators, resample_items
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

SMALL = {
    "items_per_agent": 100, "quality": [0.8, 0.3], "n_labels": 4, "difficulty": "own",
    "annotators": {"normal": 5, "strict": 1},
}  # fmt: skip
METRICS = ["score:each", "expected_score:each"]


@pytest.fixture(scope="module")
def drawn():
    return simulate("stableval", SMALL, np.random.default_rng(1))


def widths(found):
    return np.array([one.upper - one.lower for one in found])


def estimates(method, table, settings):
    fitted = fit(method, table, np.random.default_rng(2), settings)
    return evaluate_agents(fitted, table, METRICS, np.random.default_rng(3), 0.95, 400)


def test_a_label_counts_as_often_as_its_item_and_its_annotator(drawn):
    """Against a loop over items and annotators."""
    table, rng = drawn.table, np.random.default_rng(4)
    items, times = resample_items(table, rng), resample_annotators(table, rng)
    found = labels_drawn(table, items, times)
    expected = []
    for place, item in enumerate(items):
        for row in np.flatnonzero(table.item_of == item):
            who = table.annotator_of[row]
            expected += [(place, who, table.label[row])] * times[who]
    assert list(zip(found.item_of, found.annotator_of, found.label, strict=True)) == expected
    assert (found.truth == table.truth[items]).all()
    assert np.bincount(found.agent_of).tolist() == [100, 100], "each agent keeps its number"
    assert times.sum() == len(table.annotator)


def test_a_bootstrap_in_two_ways_is_wider_than_one_over_items(drawn):
    """The control: of refits to the very same labels nothing would be left of the width."""
    one = estimates("PEC", drawn.table, {"em": "published"})
    two = estimates("PEC-two-way", drawn.table, {"em": "published", "resamples": 60})
    assert [a.estimate for a in two] == pytest.approx([a.estimate for a in one])
    assert (widths(two) > widths(one)).all()
    with pytest.raises(InputError, match="resamples: found 1, expected 2 or more"):
        fit("PEC-two-way", drawn.table, np.random.default_rng(1), {"resamples": 1})


def test_the_posterior_gives_scores_of_these_and_of_all_responses(drawn):
    """The interval of all that an agent could give is wider; one prior for all has one for all."""
    settings = {"draws": 200, "warmup": 100, "lag": 2}
    own = estimates("PEC-posterior", drawn.table, settings)
    assert (widths(own[2:]) > widths(own[:2])).all()
    for one in own:
        assert one.lower < one.estimate < one.upper
    shared = estimates("PEC-posterior", drawn.table, {**settings, "prior": "shared"})
    assert shared[2].estimate == shared[3].estimate
    assert shared[0].estimate > shared[1].estimate
    gap, pulled = own[0].estimate - own[1].estimate, shared[0].estimate - shared[1].estimate
    assert pulled < gap


def test_an_agent_whose_responses_have_no_labels_has_no_score(drawn):
    table = drawn.table
    left = table.of_labels(table.agent_of[table.item_of] == 0)
    for method, settings in (("PEC-posterior", {"draws": 20}), ("PEC-two-way", {"resamples": 3})):
        fitted = fit(method, left, np.random.default_rng(1), settings)
        found = evaluate_agents(fitted, left, ["score:each"], np.random.default_rng(1), 0.95, 10)
        assert np.isfinite(found[0].estimate)
        assert np.isnan(found[1].estimate)

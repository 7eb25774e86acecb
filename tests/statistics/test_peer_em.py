"""The EM for confusion matrices against crowd-kit's `DawidSkene`, as the benchmark times them.

crowd-kit is an optional dependency (`make peers`); continuous integration installs it.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.models.confusion_em import fit_confusion_em
from workflow.conftest import ROOT

pytest.importorskip("crowdkit", reason="make peers installs it")
sys.path.insert(0, str(ROOT / "benchmarks"))
import confusion_em as benchmark


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:.*is deprecated")
def test_posteriors_are_those_of_crowd_kit_at_equal_settings(monkeypatch):
    """To 1e-8 after 20 steps; another start of the class prior, the control, is further away."""
    monkeypatch.setattr(benchmark, "ANNOTATORS", 20)
    annotations = benchmark.draw_annotations(600)
    peer = benchmark.peer_posterior(benchmark.as_frame(annotations))
    own = fit_confusion_em(annotations, benchmark.EQUAL).posterior
    assert np.abs(own - peer).max() < 1e-8
    other = fit_confusion_em(annotations, replace(benchmark.EQUAL, start="uniform")).posterior
    assert np.abs(other - peer).max() > 1e-6

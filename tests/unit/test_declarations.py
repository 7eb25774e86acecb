"""Generators, computations and plots are found by their declarations, each under its own name."""

import pytest

from crowdgold.experiment.computation import Computation
from crowdgold.plots.style import Plot
from crowdgold.simulate.generator import Generator
from crowdgold.system import declarations as found

CLASSES = {"simulator": Generator, "computation": Computation, "plot": Plot}
TWO = 'COMPUTATION = Computation("one", run)\n'


@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_found_is_of_its_class_and_has_the_name_that_it_is_found_by(kind):
    assert len(found.declared(kind)) > 9
    for name in found.declared(kind):
        one = found.load(kind, name)
        assert isinstance(one, CLASSES[kind])
        assert one.name == name


def test_a_new_file_is_found_and_a_name_declared_twice_is_refused(tmp_path, monkeypatch):
    root = tmp_path / "crowdgold"
    root.mkdir()
    monkeypatch.setattr(found, "ROOT", root)
    (root / "a.py").write_text(f"import missing\n{TWO}")
    search = found.declared.__wrapped__
    assert search("computation") == {"one": ("crowdgold.a", "COMPUTATION")}
    assert search("plot") == {}
    (root / "b.py").write_text(TWO)
    with pytest.raises(ValueError, match=r"declared in crowdgold\.a and in crowdgold\.b"):
        search("computation")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('COMPUTATION: Computation = Computation("one", run)', ""),
        ('COMPUTATION = Computation(run=run, name="one")', ""),
        ("COMPUTATION = Computation(run=run)", "line 1.*declares nothing, expected its name"),
        ("COMPUTATION = Computation(NAME, run)", "declares NAME, expected its name as a text"),
        ("COMPUTATION = Computation('one'", "never closed"),
    ],
)
def test_a_declaration_is_read_in_any_form_or_named_with_its_file(
    tmp_path, monkeypatch, line, said
):
    monkeypatch.setattr(found, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(f"{line}\n")
    if said:
        with pytest.raises(ValueError, match=rf"a\.py: .*{said}"):
            found.declared.__wrapped__("computation")
    else:
        ((name, (_, variable)),) = found.declared.__wrapped__("computation").items()
        assert (name, variable) == ("one", "COMPUTATION")


def draw(table, *, x, by=()):
    return x, by


def test_the_options_of_a_plot_are_what_its_function_takes_by_keyword():
    plot = Plot("made", draw)
    assert plot.options == {"x": True, "by": False}
    assert plot(None, {"x": "n"}) == ("n", ())
    with pytest.raises(TypeError, match="y"):
        plot(None, {"x": "n", "y": 1})


def test_a_check_says_what_it_takes_and_a_plot_which_options_it_needs():
    plot = found.load("plot", "labelling_efficiency")
    assert (plot.options["cost_ratios"], plot.options["gold_needs_votes"]) == (True, False)
    assert "stan" in found.load("computation", "simulation_based_calibration").takes
    assert found.load("computation", "metric_study").takes == ("parameters", "rng")

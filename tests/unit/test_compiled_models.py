"""The Stan models of an evaluation: compiled two at a time, and why one cannot be had."""

import threading

import pytest

from crowdgold.evaluation.study import load_models
from crowdgold.system.toolchain import ToolchainError
from crowdgold.types.notes import FATAL, Note


class Models:
    """Stands for `StanModels`: two compilations wait for each other, and one fails."""

    def __init__(self, toolchain=True):
        self.toolchain, self.loaded = toolchain, []
        self.together = threading.Barrier(2, timeout=20)

    def found(self):
        if not self.toolchain:
            raise ToolchainError("no compiler")

    def executable(self, name):
        self.together.wait()
        if name == "dawid_skene":
            raise ToolchainError("it does not compile")

    def load(self, name):
        self.loaded.append(name)


def test_two_models_are_compiled_at_a_time_and_a_failure_is_its_methods_alone():
    """The vote model is asked for first; one after the other would wait for ever."""
    stan = Models()
    failed = load_models(["MAVEN", "CLARA", "DS"], stan)
    assert failed == {"DS": Note("no_stan_model", {"problem": "it does not compile"}, FATAL)}
    assert stan.loaded == ["vote"]


def test_without_a_toolchain_every_method_says_why():
    failed = load_models(["MAVEN", "CLARA", "DS"], Models(toolchain=False))
    said = Note("no_stan_model", {"problem": "no compiler"}, FATAL)
    assert failed == dict.fromkeys(("MAVEN", "DS"), said)


def test_one_compilation_at_a_time_is_found_out(monkeypatch):
    monkeypatch.setattr("crowdgold.evaluation.study.COMPILERS", 1)
    stan = Models()
    stan.together = threading.Barrier(2, timeout=0.2)
    with pytest.raises(AssertionError):
        assert set(load_models(["MAVEN", "DS"], stan)) == {"DS"}

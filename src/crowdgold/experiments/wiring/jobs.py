"""The jobs of experiments as rules see them: input functions, parameters, and the code of a rule.

Methods that take wildcards are input functions as they are. Paths begin with `<results>`, which
Snakemake puts the folder of results for.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdgold.experiments import plan
from crowdgold.experiments.provenance.dependencies import rule_code
from crowdgold.experiments.provenance.seals import was_set_aside
from crowdgold.experiments.registries import METHOD
from crowdgold.experiments.results import path_of_times
from crowdgold.found import declared
from crowdgold.methods.registry import METHODS
from crowdgold.toolchain import included_files

Wildcards = Any
Names = Callable[[Wildcards], Collection[str]]
Records = Callable[[str], Mapping[str, Any] | None]


def none(wildcards: Wildcards) -> list[str]:
    """No entry of a registry that a job's imports reach: it uses none."""
    return []


def entries(names: Collection[str]) -> Names:
    """An input function for entries of a registry that do not depend on wildcards."""
    return lambda wildcards: names


def _texts(value: Any) -> Iterator[str]:
    """The texts in a block of a configuration, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)


def _once(names: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(names))


class Jobs:
    """What the jobs of a configuration's experiments need, make and are made of.

    Args:
        root: the checkout.
    """

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.config, self.root = config, root
        self.results = Path(config["pathvars"]["results"])

    def library(self, script: str, **used: Names) -> Callable[[Wildcards], dict[str, str]]:
        """A parameter that stands for a script and the library files that it imports.

        It is file -> hash. It changes, and the job runs again, when one of them does; tables keep
        it as their provenance. As inputs they would be dozens for each job, which the scheduler
        looks through for each job that ends. A keyword names a registry and, by a function of the
        wildcards, the entries that the job uses.
        """

        def code(wildcards: Wildcards) -> dict[str, str]:
            chosen = {registry: names(wildcards) for registry, names in used.items()}
            return rule_code(self.root / "scripts" / script, chosen)

        return code

    def block(self, wildcards: Wildcards) -> Mapping[str, Any]:
        """The experiment's part of the configuration."""
        return self._block(wildcards.experiment)

    def _block(self, experiment: str) -> Mapping[str, Any]:
        block: Mapping[str, Any] = self.config["experiments"][experiment]
        return block

    def source_of(self, kind: str) -> Names:
        """An input function for the simulator, dataset or check of an experiment, if any."""
        return lambda wildcards: [
            value for key, value in self.block(wildcards).items() if key == kind
        ]

    def named_in(self, experiments: Iterable[str], kind: str) -> list[str]:
        """The methods, or the simulators, that the parameters of experiments name.

        A check finds them by these names: what it imports does not tell.
        """
        blocks = map(self._block, experiments)
        told = _texts([[one.get("parameters", {}), one.get("vary", {})] for one in blocks])
        known = METHODS if kind == METHOD else declared(kind)
        return [one for one in _once(told) if one in known]

    def named(self, kind: str) -> Names:
        """An input function for what the parameters of an experiment name."""
        return lambda wildcards: self.named_in([wildcards.experiment], kind)

    def methods(self, wildcards: Wildcards) -> list[str]:
        """The methods of a job; none where it is a check."""
        if "methods" not in self.block(wildcards):
            return []
        group = getattr(wildcards, "group", plan.ALL)
        return plan.methods_of(self.config, wildcards.experiment, group)

    def prepared_dataset(self, wildcards: Wildcards) -> list[str]:
        """The prepared dataset that an experiment's tables are drawn from, if any."""
        return self.prepared(self.datasets_in([wildcards.experiment]))

    def features(self, wildcards: Wildcards) -> list[str]:
        """The file of the texts' features that a check reads, if any."""
        return plan.features(self.block(wildcards))

    def axes(self, wildcards: Wildcards) -> list[str]:
        """The names of what varies in an experiment."""
        return list(self.block(wildcards).get("vary", {}))

    def data_task(self, wildcards: Wildcards) -> dict[str, Any]:
        """All that a data table, or a check's table, depends on."""
        one = wildcards
        return plan.data_task(self.config, one.experiment, one.setting, one.replicates)

    def estimate_task(self, wildcards: Wildcards) -> dict[str, Any]:
        """All that the estimates of a job depend on, besides its data table."""
        one = wildcards
        return plan.estimate_task(
            self.config, one.experiment, one.setting, one.group, one.replicates
        )

    def models(self, wildcards: Wildcards) -> list[str]:
        """The Stan models that the methods of a job, or its check, need."""
        is_check = plan.source(self.block(wildcards)) == "check"
        return plan.models_of((self.data_task if is_check else self.estimate_task)(wildcards))

    def executables(self, wildcards: Wildcards) -> list[str]:
        """The compiled models of a job."""
        return [f"results/stan/{model}" for model in self.models(wildcards)]

    def toolchain(self, wildcards: Wildcards) -> list[str]:
        """The record of the toolchain, where a job needs compiled models."""
        return ["results/toolchain.json"] if self.models(wildcards) else []

    def programs(self, wildcards: Wildcards) -> list[str]:
        """The Stan programs of a job, and the files that they include."""
        return self.programs_in(self.models(wildcards))

    def program_files(self, wildcards: Wildcards) -> list[str]:
        """A model's Stan program, first, and the files that it includes."""
        return self.programs_in([wildcards.model])

    def programs_in(self, models: Iterable[str]) -> list[str]:
        """The Stan programs of models and the files that they include, each once.

        Paths are relative: they stay the same when the folder is moved, so that nothing runs again.
        """
        programs = [self.root / "stan" / f"{model}.stan" for model in models]
        return _once(
            os.path.relpath(file) for one in programs for file in (one, *included_files(one))
        )

    def rows(self, wildcards: Wildcards) -> list[str]:
        """The tables that an experiment's results are joined from."""
        return [f"<results>/{path}" for path in plan.blocks(self.config, wildcards.experiment)]

    def times(self, wildcards: Wildcards) -> list[str]:
        """The tables of the times of what an experiment's results are joined from."""
        blocks = plan.blocks(self.config, wildcards.experiment)
        return [f"<results>/{path_of_times(path)}" for path in blocks]

    def hours(self, records: Records) -> dict[str, float]:
        """Hours that the jobs of each finished experiment took, a job being one core's work.

        Experiments of which a file was not made by a run in this folder are left out; so are all
        where several share a job.

        Args:
            records: what Snakemake recorded of a file when its job ended; None or nothing where it
                has no record.
        """
        found: dict[str, float] = {}
        for name in self.config["experiments"] if not self.config["together"] else ():
            paths = plan.blocks(self.config, name)
            if plan.source(self._block(name)) != "check":
                paths = [*paths, *plan.data_tables(self.config, name)]
            own = [records(str(self.results / path)) or {} for path in paths]
            if own and all(one.get("endtime") for one in own):
                found[name] = sum(one["endtime"] - one["starttime"] for one in own) / 3600
        return found

    def judged_table(self, wildcards: Wildcards) -> str:
        """The table that an experiment's verdict is about: ranks, or a summary of coverage."""
        kind = "tables" if "check" in self.block(wildcards) else "summaries"
        return f"<results>/{kind}/{wildcards.experiment}.parquet"

    def verdicts(self, figure: str | None = None) -> list[str]:
        """The verdicts on all experiments that something is expected of, or those of a figure.

        None at the smallest scale, whose few replicates say nothing of coverage.
        """
        if self.config["together"]:
            return []
        own = (
            self.config["figures"][figure]["experiments"] if figure else self.config["experiments"]
        )
        return [
            f"<results>/summaries/{name}_verdict.txt"
            for name in own
            if "expect" in self._block(name)
        ]

    def values_in(self, experiments: Iterable[str], kind: str) -> list[str]:
        """The simulators or checks of experiments, each once."""
        blocks = map(self._block, experiments)
        return _once(block[kind] for block in blocks if kind in block)

    def datasets_in(self, experiments: Iterable[str]) -> list[str]:
        """The datasets that experiments need, each once."""
        return _once(filter(None, map(plan.dataset, map(self._block, experiments))))

    @staticmethod
    def prepared(datasets: Iterable[str]) -> list[str]:
        """The prepared tables of datasets."""
        return [f"results/datasets/{name}.parquet" for name in datasets]

    def methods_in(self, experiments: Iterable[str]) -> list[str]:
        """The methods of experiments, each once."""
        blocks = map(self._block, experiments)
        return _once(method for block in blocks for method in block.get("methods", []))

    def models_in(self, experiments: Iterable[str]) -> list[str]:
        """The Stan models that experiments need, each once."""
        tasks = [plan.experiment_task(self.config, name) for name in experiments]
        return _once(model for task in tasks for model in plan.models_of(task))

    def made_of(self, experiment: str) -> list[str]:
        """What the jobs of an experiment make: tables, summary, times, and damaged blocks."""
        summaries = [f"summaries/{experiment}.{ending}" for ending in ("parquet", "csv")]
        made = [plan.table(experiment), *summaries, f"times/{experiment}.parquet"]
        lost: Sequence[str] = ()
        if not self.config["together"]:
            blocks = plan.blocks(self.config, experiment)
            parts = [path for block in blocks for path in (block, path_of_times(block))]
            if "check" not in self._block(experiment):
                parts += plan.data_tables(self.config, experiment)
            lost = [path for path in parts if was_set_aside(self.results / path)]
        return [f"<results>/{path}" for path in (*made, *lost)]

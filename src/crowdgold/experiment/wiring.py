"""What the rules ask: the jobs of experiments, the figures of a run, and where its files are.

Methods that take wildcards can be input functions themselves. Paths begin with `<results>`, which
Snakemake replaces by the folder of results. What is skipped or left out is said once, with the
reason.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Template

from crowdgold import __version__
from crowdgold.experiment import plan
from crowdgold.experiment.registries import METHOD, rule_code
from crowdgold.experiment.settings import Plain
from crowdgold.methods.registry import METHODS
from crowdgold.record.record import ENDINGS, path_of_times
from crowdgold.record.seals import was_set_aside
from crowdgold.system.assets import asset_folder
from crowdgold.system.declarations import declared
from crowdgold.system.toolchain import included_files
from crowdgold.types.errors import InputError

Wildcards = Any
Names = Callable[[Wildcards], Collection[str]]
Paths = Callable[[Wildcards], list[str]]


def source_folder(rules: str, package: Callable[[], str]) -> Path:
    """The folder of Stan programs, scripts and configuration: that which the rules stand in.

    Rules that Snakemake reads from a repository on the network stand in no folder. The library has
    the same files; InputError where it is of another version than the rules, which is read from the
    package's first file beside them (`package`).
    """
    if Path(rules).is_dir():
        return Path(rules).resolve().parents[1]
    (version,) = re.findall(r'^__version__ = "(.+)"$', package(), re.MULTILINE)
    if version != __version__:
        raise InputError(
            f"{rules} is crowdgold {version}, and the library is {__version__}; install the same: "
            f"pip install 'crowdgold[workflow]=={version}'"
        )
    return asset_folder("config").parent


def choices(given: Plain, default: Plain) -> dict[str, Any]:
    """The keys of a configuration whose values differ from the default's."""
    chosen = {}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(default.get(key), Mapping):
            value = choices(value, default[key])
            if not value and given[key]:
                continue
        elif key in default and default[key] == value:
            continue
        chosen[key] = value
    return chosen


def none(wildcards: Wildcards) -> list[str]:
    """No entry of a registry that a job's imports reach: it uses none."""
    return []


def entries(names: Collection[str]) -> Names:
    """An input function that returns the same entries of a registry for all wildcards."""
    return lambda wildcards: names


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)


def _once(names: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(names))


class Jobs:
    """What the jobs of a configuration's experiments need, make and are made of."""

    def __init__(self, config: Plain, root: Path) -> None:
        self.config, self.root = config, root  # of the checkout
        self.results = Path(config["pathvars"]["results"])

    def library(self, script: str, **used: Names) -> Callable[[Wildcards], dict[str, str]]:
        """A parameter that stands for a script and the library files that it imports.

        It is file -> hash; tables keep it as their provenance. As inputs they would be dozens for
        each job, which the scheduler looks through for each job that ends. A keyword names a
        registry and, by a function of the wildcards, the entries that the job uses.
        """

        def code(wildcards: Wildcards) -> dict[str, str]:
            chosen = {registry: names(wildcards) for registry, names in used.items()}
            return rule_code(self.root / "scripts" / script, chosen)

        return code

    def block(self, wildcards: Wildcards) -> Plain:
        """The experiment's part of the configuration."""
        block: Plain = self.config["experiments"][wildcards.experiment]
        return block

    def _blocks(self, experiments: Iterable[str]) -> list[Plain]:
        return [self.config["experiments"][name] for name in experiments]

    def source_of(self, kind: str) -> Names:
        """An input function for the simulator, dataset or computation of an experiment, if any."""
        return lambda wildcards: self.values_in([wildcards.experiment], kind)

    def named_in(self, experiments: Iterable[str], kind: str) -> list[str]:
        """The methods, or the simulators, that the parameters of experiments name.

        A computation finds them by these names: what it imports does not tell.
        """
        blocks = self._blocks(experiments)
        texts = _texts([[one.get("parameters", {}), one.get("vary", {})] for one in blocks])
        known = METHODS if kind == METHOD else declared(kind)
        return [text for text in _once(texts) if text in known]

    def named(self, kind: str) -> Names:
        """An input function for what the parameters of an experiment name."""
        return lambda wildcards: self.named_in([wildcards.experiment], kind)

    def methods(self, wildcards: Wildcards) -> list[str]:
        """The methods of a job; none where it is a computation."""
        if "methods" not in self.block(wildcards):
            return []
        group = getattr(wildcards, "group", plan.ALL)
        return plan.methods_of(self.config, wildcards.experiment, group)

    def prepared_dataset(self, wildcards: Wildcards) -> list[str]:
        """The prepared dataset that an experiment's tables are drawn from, if any."""
        return self.prepared(self.datasets_in([wildcards.experiment]))

    def data_task(self, job: Wildcards) -> dict[str, Any]:
        """All that a data table, or a computation's table, depends on."""
        return plan.data_task(self.config, job.experiment, job.setting, job.replicates)

    def estimate_task(self, job: Wildcards) -> dict[str, Any]:
        """All that the estimates of a job depend on, besides its data table."""
        return plan.estimate_task(
            self.config, job.experiment, job.setting, job.group, job.replicates
        )

    def models(self, wildcards: Wildcards) -> list[str]:
        """The Stan models that the methods of a job, or its computation, need."""
        is_computation = plan.source(self.block(wildcards)) == "computation"
        return plan.models_of((self.data_task if is_computation else self.estimate_task)(wildcards))

    def executables(self, wildcards: Wildcards) -> list[str]:
        """The compiled models of a job."""
        return [f"results/stan/{model}" for model in self.models(wildcards)]

    def toolchain(self, wildcards: Wildcards) -> list[str]:
        """The record of the toolchain, where a job needs compiled models."""
        return ["results/toolchain.json"] if self.models(wildcards) else []

    def programs(self, wildcards: Wildcards) -> list[str]:
        """The Stan programs of a job, and the files that they include."""
        return self.programs_in(self.models(wildcards))

    def programs_in(self, models: Iterable[str]) -> list[str]:
        """The Stan programs of models, each before the files that it includes, and each once.

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

    def hours(self, records: Callable[[str], Plain | None]) -> dict[str, float]:
        """Hours that the jobs of each finished experiment took, a job being one core's work.

        `records` gives what Snakemake recorded of a file when its job ended, None where it has
        nothing: experiments of which a file was not made by a run in this folder are left out. So
        are all where several share a job.
        """
        hours: dict[str, float] = {}
        for name in self.config["experiments"] if not self.config["together"] else ():
            paths = [*plan.blocks(self.config, name), *self._data_tables(name)]
            ended = [records(str(self.results / path)) or {} for path in paths]
            if ended and all(one.get("endtime") for one in ended):
                hours[name] = sum(one["endtime"] - one["starttime"] for one in ended) / 3600
        return hours

    def _data_tables(self, experiment: str) -> list[str]:
        """The data tables of an experiment; a computation has none."""
        is_computation = "computation" in self.config["experiments"][experiment]
        return [] if is_computation else plan.data_tables(self.config, experiment)

    def judged_table(self, wildcards: Wildcards) -> str:
        """The table that an experiment's verdict is about: ranks, or a summary of coverage."""
        kind = "tables" if "computation" in self.block(wildcards) else "summaries"
        return f"<results>/{kind}/{wildcards.experiment}.parquet"

    def verdicts(self, figure: str | None = None) -> list[str]:
        """The verdicts on all experiments that something is expected of, or those of a figure.

        None at the smallest scale, whose few replicates say nothing of coverage.
        """
        if self.config["together"]:
            return []
        experiments = self.config["experiments"]
        names = self.config["figures"][figure]["experiments"] if figure else experiments
        expected = [name for name in names if "expect" in experiments[name]]
        return [f"<results>/summaries/{name}_verdict.txt" for name in expected]

    def values_in(self, experiments: Iterable[str], kind: str) -> list[str]:
        """The simulators or computations of experiments, each once."""
        return _once(block[kind] for block in self._blocks(experiments) if kind in block)

    def datasets_in(self, experiments: Iterable[str]) -> list[str]:
        """The datasets that experiments need, each once."""
        return _once(filter(None, map(plan.dataset, self._blocks(experiments))))

    @staticmethod
    def prepared(datasets: Iterable[str]) -> list[str]:
        """The prepared tables of datasets."""
        return [f"results/datasets/{name}.parquet" for name in datasets]

    def methods_in(self, experiments: Iterable[str]) -> list[str]:
        """The methods of experiments, each once."""
        blocks = self._blocks(experiments)
        return _once(method for block in blocks for method in block.get("methods", []))

    def models_in(self, experiments: Iterable[str]) -> list[str]:
        """The Stan models that experiments need, each once."""
        tasks = [plan.experiment_task(self.config, name) for name in experiments]
        return _once(model for task in tasks for model in plan.models_of(task))

    def made_of(self, experiment: str) -> list[str]:
        """What the jobs of an experiment make: tables, summary, times, and damaged blocks."""
        summaries = [f"summaries/{experiment}.{ending}" for ending in ("parquet", "csv")]
        made = [plan.table(experiment), *summaries, f"times/{experiment}.parquet"]
        if not self.config["together"]:
            blocks = plan.blocks(self.config, experiment)
            parts = [path for block in blocks for path in (block, path_of_times(block))]
            parts += self._data_tables(experiment)
            made += [path for path in parts if was_set_aside(self.results / path)]
        return [f"<results>/{path}" for path in made]


@cache
def unavailable(dataset: str) -> str:
    """Why a dataset cannot be had; empty where it can, or is prepared already."""
    # Not above: jobs on a cluster, which read the rules again, never ask.
    from crowdgold.datasets.fetching import availability

    if Path(f"results/datasets/{dataset}.parquet").exists():
        return ""
    available, reason = availability(dataset)
    return "" if available else reason


class Drawn:
    """The figures of a configuration and the tables that they are drawn from.

    `say` tells a person what is skipped.
    """

    def __init__(
        self,
        jobs: Jobs,
        say: Callable[[str], object],
        unavailable: Callable[[str], str] = unavailable,
    ) -> None:
        self.jobs, self.config, self._say = jobs, jobs.config, say
        self.unavailable = unavailable
        self.figures, self.experiments = cache(self._figures), cache(self._experiments)

    def block(self, figure: str) -> Plain:
        """The figure's part of the configuration."""
        block: Plain = self.config["figures"][figure]
        return block

    def _figures(self, target: str) -> list[str]:
        """A target's figures whose datasets can be had; say which are skipped, and why."""
        drawn = []
        for figure in plan.figures(self.config, target):
            if reasons := self._lacks(figure):
                self._say(f"Skipped: figure {figure} needs {'; '.join(reasons)}")
            else:
                drawn.append(figure)
        return drawn

    def _lacks(self, figure: str) -> list[str]:
        """What a figure cannot be drawn without and is not there."""
        needed = map(self.unavailable, plan.datasets(self.config, figure))
        return [f"dataset {why}" for why in needed if why] + [
            f"the package {package}, which is not installed ({plan.how_to_install(package)})"
            for package, without in plan.figure_without(self.config, figure).items()
            if not without
        ]

    def gallery(self) -> list[str]:
        """The figures that a run puts into the gallery: none but one of what is published."""
        return []

    def place(self, path: str) -> str:
        """Where a file of a run is read."""
        return path

    def is_there(self, path: str) -> bool:
        """Whether a file is there, and can be used."""
        return Path(path).is_file()

    def _experiments(self, figure: str) -> list[str]:
        """A figure's experiments, without the optional ones whose data cannot be had; say which."""
        drawn = list(self.block(figure).get("experiments", []))
        left_out = f"Left out of figure {figure}:"
        for experiment in self.block(figure).get("optional", ()):
            dataset = plan.dataset(self.config["experiments"][experiment])
            if dataset and (reason := self.unavailable(dataset)):
                self._say(f"{left_out} {experiment}, which needs dataset {reason}")
                drawn.remove(experiment)
        for package, without in plan.figure_without(self.config, figure).items():
            if without:
                self._say(
                    f"{left_out} {package}, a package that is not installed "
                    f"({plan.how_to_install(package)})"
                )
        return drawn

    def tables_of(self, figure: str) -> Paths:
        """An input function for the tables that a figure is drawn from."""

        def paths(wildcards: Wildcards) -> list[str]:
            block = self.block(figure)
            if "benchmark" in block:
                return [self.place(f"<results>/benchmarks/{block['benchmark']}.parquet")]
            folder = f"<results>/{block.get('table', 'summaries')}"
            return [self.place(f"{folder}/{name}.parquet") for name in self.experiments(figure)]

        return paths

    def asked(self, target: str) -> Paths:
        """An input function, so that only the run that asks for the target looks for datasets.

        All that their jobs make is asked for too: what was lost or damaged is made again.
        """

        def paths(wildcards: Wildcards) -> list[str]:
            figures, endings = self.figures(target), (*ENDINGS, "json")
            files = [f"<results>/figures/{name}.{end}" for name in figures for end in endings]
            for figure in figures:
                files += self.tables_of(figure)(wildcards)
            for experiment in _once(one for name in figures for one in self.experiments(name)):
                files += self.jobs.made_of(experiment)
            return _once(files)

        return paths

    def data_tables(self, figure: str) -> list[tuple[str, str]]:
        """The experiment of each data table behind a figure, and the table."""
        return [
            (name, f"<results>/{path}")
            for name in self.experiments(figure)
            for path in plan.data_tables(self.config, name)
        ]

    def available_tables(self, experiments: Iterable[str]) -> list[str]:
        """The tables of experiments that can be run, without those whose dataset cannot be had."""
        tables = []
        for name in experiments:
            dataset = plan.dataset(self.config["experiments"][name])
            if dataset and (reason := self.unavailable(dataset)):
                self._say(f"Left out: {name}, for {reason}")
            elif plan.can_run(self.config, name):
                tables.append(f"<results>/{plan.table(name)}")
        return tables

    def caption(self, figure: str) -> str:
        """The caption's file, relative to the folder of the rules."""
        own = self.jobs.root / "workflow/report" / f"{figure}.rst"
        return f"../report/{figure if own.is_file() else 'figure'}.rst"

    def titles(self) -> dict[str, str]:
        """What each figure shows: the head of its caption, in bold."""
        job = SimpleNamespace(config=self.config)
        rules = self.jobs.root / "workflow/rules"
        texts = {one: (rules / self.caption(one)).read_text() for one in self.config["figures"]}
        heads = {one: text.split("**")[1] for one, text in texts.items() if "**" in text}
        shown = {one: Template(head).render(snakemake=job) for one, head in heads.items()}
        return {one: " ".join(words.split()).rstrip(".") for one, words in shown.items()}

    def plots_in(self, figures: Iterable[str]) -> list[str]:
        """The plotting functions of figures, each once."""
        return _once(self.block(name)["plot"] for name in figures)

    def experiments_in(self, figures: Iterable[str]) -> list[str]:
        """The experiments of figures, each once."""
        return _once(one for name in figures for one in self.block(name).get("experiments", []))

    def figure_jobs(self) -> dict[str, list[str]]:
        """The figures of each job that draws, by the first: those of the same tables, or, at the
        smallest scale, those of a paper.
        """
        jobs: dict[tuple[Any, ...], list[str]] = {}
        for figure, block in self.config["figures"].items():
            target = block.get("target", "figures")
            tables = block.get("table"), block.get("benchmark"), *block.get("experiments", [])
            missing = any(map(self.unavailable, plan.datasets(self.config, figure)))
            missing |= not all(plan.figure_without(self.config, figure).values())
            shared = self.config["together"] and not missing and target != "none"
            key = (block["paper"], target) if shared else (target, *tables)
            jobs.setdefault(key, []).append(figure)
        return {names[0]: names for names in jobs.values()}

    def experiment_jobs(self) -> dict[str, list[str]]:
        """The experiments of each job, where a job runs whole experiments, by the first.

        Those of a paper's target that sample no Stan model share a job: most take seconds. So do
        those of a paper's figures of one kind that sample the same.
        """
        jobs: dict[tuple[Any, ...], list[str]] = {}
        for name, block in self.config["experiments"].items():
            target, figure = plan.drawn_by(self.config, name)
            models = tuple(self.jobs.models_in([name]))
            kind = self.config["figures"][figure]["plot"] if figure else ""
            key: tuple[Any, ...] = (
                (block["paper"], target, kind, models) if models else (block["paper"], target)
            )
            dataset, can_run = plan.dataset(block), plan.can_run(self.config, name)
            lacking = not can_run or (dataset and self.unavailable(dataset))
            jobs.setdefault(key if target and not lacking else (name,), []).append(name)
        return {names[0]: names for names in jobs.values()}

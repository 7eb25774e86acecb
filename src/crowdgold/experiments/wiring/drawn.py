"""Which figures a run draws: those whose data and packages are there, and what they are drawn from.

What is skipped or left out is said once, with the reason.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crowdgold.experiments import plan
from crowdgold.experiments.provenance.figure_record import ENDINGS
from crowdgold.experiments.wiring.jobs import Jobs, Wildcards

Paths = Callable[[Wildcards], list[str]]


@cache
def unavailable(dataset: str) -> str:
    """Why a dataset cannot be had; empty where it can, or is prepared already."""
    # Not above: jobs on a cluster, which read the rules again, never ask.
    from crowdgold.data.datasets import availability

    if Path(f"results/datasets/{dataset}.parquet").exists():
        return ""
    available, reason = availability(dataset)
    return "" if available else reason


class Drawn:
    """The figures of a configuration and the tables that they are drawn from.

    Args:
        jobs: of the configuration's experiments.
        say: tells a person what is skipped.
        unavailable: says why a dataset cannot be had; empty where it can.
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

    def block(self, figure: str) -> Mapping[str, Any]:
        """The figure's part of the configuration."""
        block: Mapping[str, Any] = self.config["figures"][figure]
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

    def _experiments(self, figure: str) -> list[str]:
        """A figure's experiments, without the optional ones whose data cannot be had; say which."""
        drawn = list(self.block(figure).get("experiments", []))
        left_out = f"Left out of figure {figure}:"
        for experiment, dataset in plan.optional_datasets(self.config, figure).items():
            if reason := self.unavailable(dataset):
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
            kind = block.get("table", "summaries")
            return [
                self.place(f"<results>/{kind}/{name}.parquet") for name in self.experiments(figure)
            ]

        return paths

    def asked(self, target: str) -> Paths:
        """An input function, so that only the run that asks for the target looks for datasets.

        All that their jobs make is asked for too: what was lost or damaged is made again.
        """

        def paths(wildcards: Wildcards) -> list[str]:
            figures, endings = self.figures(target), (*ENDINGS, "json")
            found = [f"<results>/figures/{name}.{end}" for name in figures for end in endings]
            for tables in map(self.tables_of, figures):
                found += tables(wildcards)
            for name in self._behind(target):
                found += self.jobs.made_of(name)
            return list(dict.fromkeys(found))

        return paths

    def _behind(self, target: str) -> list[str]:
        """The experiments of a target's figures, each once."""
        figures = self.figures(target)
        return list(dict.fromkeys(name for one in figures for name in self.experiments(one)))

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

    def plots_in(self, figures: Iterable[str]) -> list[str]:
        """The plotting functions of figures, each once."""
        return list(dict.fromkeys(self.block(name)["plot"] for name in figures))

    def experiments_in(self, figures: Iterable[str]) -> list[str]:
        """The experiments of figures, each once."""
        return list(
            dict.fromkeys(
                one for name in figures for one in self.block(name).get("experiments", [])
            )
        )

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
        """The experiments of each job that runs whole experiments."""
        return plan.experiment_jobs(self.config, self.unavailable)

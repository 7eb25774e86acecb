"""Write the page on the coverage of the intervals."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.evaluation.ratios import relative_to
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate, read_table
from crowdgold.methods.registry import baseline
from crowdgold.studies.calibration.pages.coverage import coverage_page
from crowdgold.studies.calibration.pages.model_coverage import (
    calibration_section,
    own_models_section,
)
from crowdgold.studies.clara.pages.coverage import clara_section
from crowdgold.studies.maven.pages.bias_causes import bias_section
from crowdgold.studies.maven.pages.shared_labels import shared_labels_section

if TYPE_CHECKING:
    from snakemake.script import snakemake


def verdicts(paths: list[str]) -> list[str]:
    """Read the sentences of several verdicts."""
    return [Path(path).read_text() for path in paths]


with job_log(snakemake.log[0]):
    made = snakemake.input
    biased, _ = concatenate(made.biased)
    worlds = {
        f"{own['world'].iloc[0]}, {own['replicate'].nunique()} studies": own
        for _, own in biased.groupby(["experiment", "world"], sort=False)
    }
    further = [
        bias_section(worlds),
        shared_labels_section(read_table(made.shared)),
        own_models_section(
            concatenate(made.own_models)[0],
            snakemake.params.titles,
            verdicts(made.own_model_verdicts),
        ),
        calibration_section(concatenate(made.ranks)[0], verdicts(made.rank_verdicts)),
        clara_section(read_table(made.clara), Path(made.clara_verdict).read_text()),
    ]
    settings, _ = concatenate(made.settings)
    page = coverage_page(
        read_table(made.summary),
        Path(made.verdict).read_text(),
        relative_to(settings, baseline()),
        further,
    )
    write_text(page, snakemake.output[0])

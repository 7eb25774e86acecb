"""What is mended in Snakemake's plugin for Slurm, on a stand-in for it.

The plugin itself, and a real Slurm, are in tests/workflow/test_slurm.py.
"""

import asyncio
import logging
from types import ModuleType

import pytest

from crowdgold.experiment import run as slurm


def mended(answer):
    """What a mended query gives where the plugin's own gives `answer`."""
    plugin = ModuleType(slurm.PLUGIN)

    async def query_job_status(command, logger):
        return answer

    plugin.query_job_status = query_job_status
    slurm.replace_query(plugin, logging.getLogger())
    return asyncio.run(plugin.query_job_status("sacct -X --name run", logging.getLogger()))


@pytest.mark.parametrize("answer", [({"7_1": "RUNNING", "12": "TIMEOUT"}, 0.1), ({}, 0.2)])
def test_an_answer_stays_as_it_is(answer, caplog):
    assert mended(answer) == answer
    assert not caplog.text


def test_a_failed_query_names_no_job_and_says_so(caplog):
    assert mended((None, None)) == ({}, 0.0)
    assert "does not answer (sacct)" in caplog.text


def test_another_plugin_stays_as_it_is(caplog):
    other = ModuleType(slurm.PLUGIN)
    before = dict(vars(other))
    slurm.replace_query(other, logging.getLogger())
    assert dict(vars(other)) == before
    assert "make slurm" in caplog.text

"""What is read of an experiment's data tables, beside its estimates: ppi_py, and the truth's error.

Both are of the same samples that the methods see.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from crowdgold.data import Items
from crowdgold.experiments.data_tables import DataTable
from crowdgold.experiments.settings import parse_setting
from crowdgold.experiments.truths import true_values
from crowdgold.studies.answer.peer_means import PEER, is_installed, is_mean, peer_interval

ROWS = ["experiment", "n_gold", "replicate", "method", "metric"]
ROWS += ["truth", "estimate", "lower", "upper"]
TRUTHS = ["experiment", "n_gold", "metric", "truth", "truth_se"]


def read_samples(
    files: Iterable[tuple[str, Path]], metrics: dict[str, Sequence[str]], level: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Estimates by ppi_py, none where it is not installed, and the population's metrics.

    Args:
        files: (experiment, data table) of all blocks.
        metrics: experiment -> its metrics.

    Returns:
        rows as of the results table; and for each experiment, number of gold labels and metric the
        truth with its Monte Carlo error, where it is a population's.
    """
    rows, truths = [], {}
    for experiment, path in files:
        table = DataTable(path)
        means = [metric for metric in metrics[experiment] if is_mean(metric)]
        for setting, replicate in table.replicates:
            drawn = table.replicate(setting, replicate)
            n_gold = parse_setting(setting)["n_gold"]
            for metric, (value, error) in drawn.population.items():
                truths[experiment, n_gold, metric] = (value, error)
            if not (is_installed() and isinstance(drawn.table, Items)):
                continue
            known = true_values(means, drawn)
            for metric in means:
                found = peer_interval(drawn.table, metric, level)
                where = (experiment, n_gold, replicate, PEER, metric)
                rows.append((*where, known[metric, ""], *found))
    named = [(*key, *value) for key, value in truths.items()]
    return pd.DataFrame(rows, columns=ROWS), pd.DataFrame(named, columns=TRUTHS)

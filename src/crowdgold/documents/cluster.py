"""The page on clusters: docs/cluster.md, from clone to figures, and what it takes."""

import pandas as pd

from crowdgold.documents.markdown import markdown_table

START = """\
# On a Slurm cluster

A job of the workflow becomes a job of Slurm: Snakemake runs on the login node, submits, waits, and
starts again what a node lost. The folder must be on a file system that the nodes share.

```sh
make setup slurm                        # in a clone: environment, and Snakemake's plugin for Slurm
$EDITOR profiles/slurm/config.yaml      # account and partition: one commented place
make smoke PROFILE=slurm                # every figure at the smallest scale, as a trial
nohup make figures PROFILE=slurm SCALE=paper > run.log 2>&1 &
```

Start the last line in `tmux`, or as here with `nohup`, so that it outlives the connection. It plans
for some seconds, then `run.log` says what is submitted and what has ended. The figures come to
`results/paper/figures/`.

- **Without accounting.** Where `sacct` says that it is disabled, jobs are asked for by `squeue`:
  uncomment `slurm-status-command: squeue` in the profile. The site's `MinJobAge` (`scontrol show
  config`) must be two minutes or more.
- **It stopped.** Look whether jobs of it are left (`squeue --me`), cancel them (`scancel`), and
  start the same line again: what is complete is kept, what was cut off is done anew, and the tables
  are those of a run that was never stopped. [Reliability](reliability.md) says what was tried: a
  cancelled job, a drained node, a controller that was started again, and more.
- **Memory and time.** A job that wanted more than it asked for is started again with more, twice.
  `set-resources` in the profile changes a rule's for good, for instance
  `estimate: {mem_mb: 4000, runtime: 240}`.
- **A job that failed.** The line with `Error in rule` names its log in `results/paper/logs/`, and
  Slurm's own below `.snakemake/slurm_logs/`.
- **Nodes without a network.** Datasets are fetched, and Stan's models compiled, by jobs. Let the
  login node do that beforehand:
  `make figures SCALE=paper OPTIONS='--until dataset compile_model compile_vote_model'`.
- **What a node needs.** The same file system (this folder and `~/.cache`), and, unless models were
  compiled beforehand, a C++17 compiler and make.
"""


def cluster_page(table: pd.DataFrame) -> str:
    """Write the page on clusters.

    Args:
        table: what each experiment costs at the papers' scale, by `benchmarks/paper_scale.py`.
    """
    rows = []
    for (paper, target), group in table.groupby(["paper", "target"], sort=False):
        rows.append(_row(str(paper), f"make {target}", group))
    rows.append(_row("**all**", "", table))
    slowest = table.sort_values("largest_job_minutes").iloc[-1]
    return "\n".join(
        [
            START,
            "## What the papers' scale takes\n",
            "CPU time of one replicate, measured in the first and the last setting of each "
            "experiment on one core, times settings and replicates of `config/paper.yaml`: an "
            "extrapolation, made by `benchmarks/paper_scale.py`. Snakemake's own start of a job, "
            "some seconds, comes on top. Jobs are those of the experiments; figures, models, "
            "datasets add some hundred. Experiments whose dataset was not at hand are left out. "
            "Memory is the largest of a process; a block's replicates follow one another, "
            "so that it does not grow with them. In its job stand two Snakemakes beside it, some "
            "300 MB each, for which the profile makes room. Disk is that of the tables of "
            "jobs; an experiment's whole table holds its estimates once more.\n",
            markdown_table(
                ["paper", "target", "experiments", "jobs", "core hours", "memory, MB", "disk, GB"],
                rows,
            )
            + "\n",
            f"The longest job is one of `{slowest['experiment']}`: about "
            f"{slowest['largest_job_minutes']:.0f} minutes for its block of replicates. Temporary "
            f"files of a job, which go with it, take up to {table['scratch_mb'].max():,.0f} MB "
            "of the node's own disk (`TMPDIR`). Models and Stan's headers take another gigabyte "
            "in `~/.cache`.\n",
        ]
    )


def _row(paper: str, target: str, group: pd.DataFrame) -> list[str]:
    """A line of the table for some experiments."""
    return [
        paper,
        target,
        str(len(group)),
        f"{group['jobs'].sum():,}",
        f"{group['core_hours'].sum():.1f}",
        f"{group['memory_mb'].max():,}",
        f"{group['tables_mb'].sum() / 1000:.2f}",
    ]

# What: the target `answer` (`make answer`): how often the interval of the recommended answer is right;
#       the experiments are config/experiments/answer.yaml's.
# Needs: the tables and the data tables of the figure's experiments.
# Makes: <results>/answer/peers.parquet, truths.parquet and least.parquet


# The figure of the recommended answer, which the target figures leaves out: it takes hours.
rule answer:
    input:
        drawn.asked("answer"),
        pages.evidence("answer", "answer"),
    localrule: True


rule read_samples:
    input:
        data=lambda wildcards: [path for _, path in drawn.data_tables("answer")],
    output:
        peers="<results>/answer/peers.parquet",
        truths="<results>/answer/truths.parquet",
        least="<results>/answer/least.parquet",
    log:
        "<results>/logs/read_samples.log",
    conda:
        "../../environment.yml"
    params:
        library=library(
            "read_samples.py",
            simulator=lambda wildcards: jobs.values_in(
                drawn.experiments("answer"), "simulator"
            ),
            method=none,
        ),
        experiments=lambda wildcards: [name for name, _ in drawn.data_tables("answer")],
        metrics=lambda wildcards: {
            name: config["experiments"][name]["metrics"]
            for name in drawn.experiments("answer")
        },
        blocks=lambda wildcards: {
            name: config["experiments"][name] for name in drawn.experiments("answer")
        },
        level=config["level"],
        seed=config["seed"],
    message:
        "Estimating means by ppi_py on the same samples, and the least width there can be"
    script:
        "../../scripts/read_samples.py"

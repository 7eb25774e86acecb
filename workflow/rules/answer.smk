# What: the target `answer` (`make answer`): how often the interval of the recommended answer is right,
#       its figure and its page; the experiments are config/experiments/answer.yaml's.
# Needs: the tables and the data tables of the figure's experiments.
# Makes: <results>/answer/peers.parquet, truths.parquet and least.parquet; docs/answer.md and docs/answer-cells.csv
#        (tracked by git)


# The figure of the recommended answer, which the target figures leaves out: it takes hours.
rule answer:
    input:
        drawn.asked("answer"),
        drawn.page("answer", "docs/answer.md"),
        drawn.page("answer", "docs/answer-cells.csv"),
        drawn.page("answer", "docs/gallery/answer.svg"),
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


rule answer_cells:
    input:
        drawn.tables_of("answer"),
    output:
        "docs/answer-cells.csv",
    log:
        "<results>/logs/answer_cells.log",
    conda:
        "../envs/library.yaml"
    params:
        library=library("answer_cells.py", method=none),
        options=lambda wildcards: config["figures"]["answer"]["options"],
    message:
        "Writing docs/answer-cells.csv"
    script:
        "../../scripts/answer_cells.py"

# What: the page on the recommended answer, whose experiments and figure are the target `answer`'s.
# Needs: the tables and the data tables of the figure's experiments (`make answer`).
# Makes: <results>/answer/peers.parquet and truths.parquet; docs/answer.md and docs/answer-cells.csv
#        (tracked by git)

ANSWER = ["docs/answer.md", "docs/gallery/answer.svg"]


def answer_data():
    """Give the experiment of each data table that the page reads, and the table."""
    return [
        (name, f"<results>/data/{name}/{setting}/{replicates}.parquet")
        for name in drawn_experiments("answer")
        for setting, replicates in plan.batches(config, name)
    ]


rule read_samples:
    input:
        data=lambda wildcards: [path for _, path in answer_data()],
    output:
        peers="<results>/answer/peers.parquet",
        truths="<results>/answer/truths.parquet",
    log:
        "<results>/logs/read_samples.log",
    conda:
        "../../environment.yml"
    params:
        library=library("read_samples.py", method=none),
        experiments=lambda wildcards: [name for name, _ in answer_data()],
        metrics=lambda wildcards: {
            name: config["experiments"][name]["metrics"]
            for name in drawn_experiments("answer")
        },
        level=config["level"],
    message:
        "Estimating means by ppi_py on the same samples"
    script:
        "../../scripts/read_samples.py"


rule document_answer:
    input:
        tables=lambda wildcards: tables_of("answer")(wildcards),
        peers="<results>/answer/peers.parquet",
        truths="<results>/answer/truths.parquet",
    output:
        page="docs/answer.md",
        cells="docs/answer-cells.csv",
    log:
        "<results>/logs/document_answer.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_answer.py"),
        options=lambda wildcards: config["figures"]["answer"]["options"],
    message:
        "Writing docs/answer.md"
    script:
        "../../scripts/document_answer.py"

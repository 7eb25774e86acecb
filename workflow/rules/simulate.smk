# What: draws the data of a block of replicates in one setting of an experiment.
# Needs: the experiment's block of the configuration; a prepared dataset where it names one.
# Makes: <results>/data/EXPERIMENT/SETTING/FIRST-LAST.parquet (`experiment.data_tables`)


rule simulate:
    input:
        dataset=jobs.prepared_dataset,
    output:
        "<results>/data/{experiment}/{setting}/{replicates}.parquet",
    log:
        "<results>/logs/data/{experiment}/{setting}/{replicates}.log",
    conda:
        "../envs/datasets.yaml"
    params:
        library=library(
            "simulate.py",
            simulator=jobs.source_of("simulator"),
            dataset=jobs.source_of("dataset"),
        ),
        task=jobs.data_task,
    message:
        "Drawing {wildcards.experiment}, {wildcards.setting}, replicates {wildcards.replicates}"
    script:
        "../../scripts/simulate.py"

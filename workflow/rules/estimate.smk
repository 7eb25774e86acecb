# What: fits a method, or all methods without a Stan model, to a block of replicates and evaluates
#       it; or runs a computation (`experiment.computation`), an experiment that makes its table by itself.
# Needs: the block's data table, the compiled models of the method; a prepared dataset where a computation
#        names one, and features of its texts where it reads some.
# Makes: <results>/estimates/EXPERIMENT/SETTING/METHODS/FIRST-LAST.parquet: rows of the results table;
#        <results>/computations/EXPERIMENT/SETTING/FIRST-LAST.parquet: rows of a computation's own table;
#        <results>/times/ and the same path: the seconds that each took.


rule estimate:
    input:
        data="<results>/data/{experiment}/{setting}/{replicates}.parquet",
        executables=jobs.executables,
        toolchain=jobs.toolchain,
        programs=jobs.programs,
    output:
        rows="<results>/estimates/{experiment}/{setting}/{group}/{replicates}.parquet",
        times="<results>/times/estimates/{experiment}/{setting}/{group}/{replicates}.parquet",
    log:
        "<results>/logs/estimates/{experiment}/{setting}/{group}/{replicates}.log",
    conda:
        "../envs/stan.yaml"
    params:
        library=library("estimate.py", method=jobs.methods),
        task=jobs.estimate_task,
    message:
        "Estimating {wildcards.experiment}, {wildcards.setting}, {wildcards.group}, replicates {wildcards.replicates}"
    script:
        "../../scripts/estimate.py"


rule compute:
    input:
        dataset=jobs.prepared_dataset,
        features=lambda wildcards: plan.features(jobs.block(wildcards)),
        executables=jobs.executables,
        toolchain=jobs.toolchain,
        programs=jobs.programs,
    output:
        rows="<results>/computations/{experiment}/{setting}/{replicates}.parquet",
        times="<results>/times/computations/{experiment}/{setting}/{replicates}.parquet",
    log:
        "<results>/logs/computations/{experiment}/{setting}/{replicates}.log",
    conda:
        "../envs/stan.yaml"
    params:
        library=library(
            "compute.py",
            computation=jobs.source_of("computation"),
            method=jobs.named("method"),
            simulator=jobs.named("simulator"),
        ),
        task=jobs.data_task,
    message:
        "Computing {wildcards.experiment}, {wildcards.setting}"
    script:
        "../../scripts/compute.py"

# What: an experiment as one job, where the configuration says `together: true`: draws its data, fits
#       its methods or runs its check, and summarises; in the place of simulate, estimate, summarise.
# Needs: the experiment's block; a prepared dataset where it names one; the compiled models.
# Makes: RESULTS/tables/EXPERIMENT.parquet, RESULTS/summaries/EXPERIMENT.parquet and .csv.


rule experiment:
    input:
        dataset=prepared_dataset,
        executables=executables_of,
        toolchain=toolchain_of,
        programs=programs_of,
    output:
        table="<results>/tables/{experiment}.parquet",
        summary="<results>/summaries/{experiment}.parquet",
        text="<results>/summaries/{experiment}.csv",
    log:
        "<results>/logs/experiments/{experiment}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
    params:
        library=library(
            "experiment.py",
            simulator=source_of("simulator"),
            dataset=source_of("dataset"),
            check=source_of("check"),
            method=methods_of,
        ),
        task=experiment_task,
        axes=axes_of,
    message:
        "Running {wildcards.experiment}"
    script:
        "../../scripts/experiment.py"

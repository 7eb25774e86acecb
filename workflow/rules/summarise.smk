# What: joins the rows of an experiment, and summarises them over the replicates.
# Needs: every estimate, or every computation, of the experiment.
# Makes: <results>/tables/EXPERIMENT.parquet (one row a replicate, method and metric);
#        <results>/summaries/EXPERIMENT.parquet and .csv (bias, width, coverage, Monte Carlo errors);
#        <results>/times/EXPERIMENT.parquet (the seconds of each fit or computation).


rule summarise:
    input:
        rows=jobs.rows,
        times=jobs.times,
    output:
        table="<results>/tables/{experiment}.parquet",
        summary="<results>/summaries/{experiment}.parquet",
        text="<results>/summaries/{experiment}.csv",
        times="<results>/times/{experiment}.parquet",
    log:
        "<results>/logs/summaries/{experiment}.log",
    conda:
        "../envs/library.yaml"
    params:
        library=library("summarise.py", method=none),
        axes=lambda wildcards: list(jobs.block(wildcards).get("vary", {})),
        level=config["level"],
        seed=config["seed"],
        computation=lambda wildcards: "computation" in jobs.block(wildcards),
    message:
        "Summarising {wildcards.experiment}"
    script:
        "../../scripts/summarise.py"

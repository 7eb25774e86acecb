# What: says whether intervals cover and samplers are calibrated where they must be, and whether
#       controls, made to cover too little or with a planted bug, are caught.
# Needs: <results>/tables/EXPERIMENT.parquet (ranks) or <results>/summaries/EXPERIMENT.parquet (coverage)
#        of an experiment with the key `expect`.
# Makes: <results>/summaries/EXPERIMENT_verdict.txt; fails where an expectation does not hold.


rule verdict:
    input:
        table=jobs.judged_table,
    output:
        "<results>/summaries/{experiment}_verdict.txt",
    log:
        "<results>/logs/{experiment}_verdict.log",
    conda:
        "../envs/library.yaml"
    params:
        library=library("verdict.py", method=none, computation=none),
        expect=lambda wildcards: jobs.block(wildcards)["expect"],
    message:
        "Holding {wildcards.experiment} against what is expected of it"
    script:
        "../../scripts/verdict.py"

# What: the target `evidence`: all tables that pages and figures are made of; and `publish` (`make
#       publish`): copies the finished ones to docs/results, where `make docs` reads them
#       (docs.smk).
# Needs: for `publish` nothing: it prints which tables are missing.
# Makes: docs/results/ and config/published.csv (tracked by git)


rule evidence:
    input:
        lambda wildcards: pages.to_publish(),
    localrule: True


rule publish:
    log:
        "<results>/logs/publish.log",
    localrule: True
    conda:
        "../envs/library.yaml"
    params:
        files=lambda wildcards: pages.to_publish(),
        config=config,
        scale=config.get("scale", "default"),
        hours=lambda wildcards: jobs.hours(
            # What Snakemake keeps of a file that a run in this folder made.
            lambda path: workflow.persistence.metadata(IOFile(path))
        ),
    message:
        "Publishing what is finished"
    script:
        "../../scripts/publish.py"

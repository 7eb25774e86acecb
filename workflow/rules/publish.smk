# What: the target `evidence`: all tables that pages and figures are made of; and `publish` (`make
#       publish`): keeps those that are finished in docs/results, from where `make docs` takes them
#       (docs.smk).
# Needs: for `publish` nothing: what is not there is told.
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

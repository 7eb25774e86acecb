# What: tables that no experiment makes: STABLEVAL's published posteriors and bootstrap beside ours.
# Needs: prepared datasets.
# Makes: <results>/tables/stableval_posteriors.parquet and stableval_bootstrap.parquet

DATASETS = ["mt_bench", "convabuse", "qags", "mslr", "stableval_published"]


rule compare_stableval:
    input:
        datasets=expand("results/datasets/{name}.parquet", name=DATASETS),
    output:
        posteriors="<results>/tables/stableval_posteriors.parquet",
        bootstrap="<results>/tables/stableval_bootstrap.parquet",
    log:
        "<results>/logs/compare_stableval.log",
    conda:
        "../envs/datasets.yaml"
    params:
        library=library("compare_stableval.py", method=none),
        seed=config["seed"],
        resamples=200,
    message:
        "Holding the published posteriors and bootstrap against ours"
    script:
        "../../scripts/compare_stableval.py"

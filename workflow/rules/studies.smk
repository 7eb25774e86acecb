# What: tables of studies that are no experiment's: STABLEVAL's published posteriors beside ours, and what
#       the arena found.
# Needs: prepared datasets; the summaries of the arena's experiments.
# Makes: <results>/tables/stableval_posteriors.parquet and stableval_bootstrap.parquet; <results>/arena/

JUDGED = ["mt_bench", "convabuse", "qags", "mslr", "stableval_published"]


rule compare_stableval:
    input:
        datasets=expand("results/datasets/{name}.parquet", name=JUDGED),
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


rule record_arena:
    input:
        summaries=drawn.tables_of("arena"),
        datasets=lambda wildcards: expand(
            "results/datasets/{name}.parquet",
            name=jobs.datasets_in(drawn.experiments("arena")),
        ),
    output:
        cells="<results>/arena/cells.parquet",
        worlds="<results>/arena/worlds.parquet",
        real="<results>/arena/real.parquet",
    log:
        "<results>/logs/record_arena.log",
    conda:
        "../envs/datasets.yaml"
    params:
        library=library("record_arena.py", method=none),
        options=lambda wildcards: config["figures"]["arena"]["options"],
        real=lambda wildcards: plan.optional_datasets(config, "arena"),
        tasks=lambda wildcards: [
            plan.data_task(
                config,
                name,
                plan.ALL,
                plan.all_replicates(config["experiments"][name]),
            )
            for name in drawn.experiments("arena")
        ],
    message:
        "Recording what the arena found"
    script:
        "../../scripts/record_arena.py"

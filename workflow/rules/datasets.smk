# What: fetches a public dataset, or takes it from the user's own folder, and prepares its table.
# Needs: a network, or data_folder / $CROWDGOLD_DATA.
# Makes: results/datasets/NAME.parquet, for all scales


rule dataset:
    output:
        "results/datasets/{dataset}.parquet",
    log:
        "results/logs/datasets/{dataset}.log",
    conda:
        "../envs/datasets.yaml"
    params:
        library=library(
            "prepare_dataset.py", dataset=lambda wildcards: [wildcards.dataset]
        ),
        folder="results/datasets/{dataset}",
    message:
        "Preparing dataset {wildcards.dataset}"
    script:
        "../../scripts/prepare_dataset.py"

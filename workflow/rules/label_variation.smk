# What: training with human label variation: features of texts by pretrained encoders, each computed
#       once, and the figures of the study (`make hlv`). Its experiments are computations
#       (estimate.smk); their jobs read the features.
# Needs: PyTorch and the encoders' packages (`make hlv-packages`); prepared datasets of judged texts.
# Makes: results/embeddings/ENCODER/DATASET.npz, for all scales; the target `hlv`: the figures


# The figures of training with human label variation, which the target figures leaves out.
rule hlv:
    input:
        drawn.asked("hlv"),
        pages.evidence("reproduction_label_variation", "hlv"),
    localrule: True


rule embed:
    input:
        dataset="results/datasets/{dataset}.parquet",
    output:
        "results/embeddings/{encoder}/{dataset}.npz",
    log:
        "results/logs/embeddings/{encoder}_{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        library=library("embed.py"),
    message:
        "Reading {wildcards.dataset} with {wildcards.encoder} (once; minutes)"
    script:
        "../../scripts/embed.py"

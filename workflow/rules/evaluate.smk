# What: evaluates a user's own data: models, voters and rates, by every method that the data support.
#       The files say which models and strata there are, so what is to run is known when they are
#       read: a job for each model, stratum, and methods that share a fit.
# Needs: evaluate.files of the configuration; the compiled vote models.
# Makes: RESULTS/evaluation/study/: a file for each job, and what the data were like;
#        RESULTS/evaluation/found/JOB.job: what a job found;
#        RESULTS/evaluate/: estimates.csv, curves.csv, items.csv, study.json, report.html,
#        figures.pdf and more.

OWN_MODELS = stan_models(
    dict.fromkeys(config.get("evaluate", {}).get("methods") or offered(), {})
)
ASKED_OF_STUDY = {
    "seed": config["seed"],
    "level": config["level"],
    **config.get("evaluate", {}),
}


checkpoint prepare_evaluation:
    input:
        files=own_files,
    output:
        directory("<results>/evaluation/study"),
    log:
        "<results>/logs/evaluation/prepare.log",
    conda:
        "../envs/library.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
    params:
        library=library("prepare_evaluation.py"),
        asked=ASKED_OF_STUDY,
    message:
        "Reading and checking {input.files}"
    script:
        "../../scripts/prepare_evaluation.py"


rule evaluate_one:
    input:
        files=own_files,
        study="<results>/evaluation/study",
        executables=[f"results/stan/{model}" for model in OWN_MODELS],
        toolchain=["results/toolchain.json"] if OWN_MODELS else [],
    output:
        "<results>/evaluation/found/{job}.job",
    log:
        "<results>/logs/evaluation/{job}.log",
    conda:
        "../envs/stan.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
    params:
        library=library("evaluate_one.py"),
        asked=ASKED_OF_STUDY,
    message:
        "Evaluating: job {wildcards.job}"
    script:
        "../../scripts/evaluate_one.py"


rule evaluate:
    input:
        files=own_files,
        found=found_parts,
        study="<results>/evaluation/study",
        toolchain=["results/toolchain.json"] if OWN_MODELS else [],
    output:
        directory("<results>/evaluate"),
    log:
        "<results>/logs/evaluate.log",
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
    params:
        library=library("evaluate.py"),
        asked=ASKED_OF_STUDY,
    message:
        "Joining what the jobs found, and writing the report"
    script:
        "../../scripts/evaluate.py"

# What: evaluates a user's own data: models, voters and rates, by every method that the data support.
#       A job for each model, stratum, and group of methods that share a fit. The files say which
#       models and strata there are, so a checkpoint reads them before the jobs are known.
# Needs: evaluate.files of the configuration; the compiled vote models.
# Makes: <results>/evaluation/study/: a file for each job, and what the data were like;
#        <results>/evaluation/found/JOB.job: a job's results;
#        <results>/evaluate/: estimates.csv, curves.csv, items.csv, study.json, report.html,
#        figures.pdf and more.

STUDY_MODELS = stan_models(
    dict.fromkeys(config.get("evaluate", {}).get("methods") or offered(), {})
)
SETTINGS = {
    "seed": config["seed"],
    "level": config["level"],
    **config.get("evaluate", {}),
}


checkpoint prepare_evaluation:
    input:
        files=study_files,
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
        asked=SETTINGS,
    message:
        "Reading and checking {input.files}"
    script:
        "../../scripts/prepare_evaluation.py"


rule evaluate_one:
    input:
        files=study_files,
        study="<results>/evaluation/study",
        executables=[f"results/stan/{model}" for model in STUDY_MODELS],
        toolchain=["results/toolchain.json"] if STUDY_MODELS else [],
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
        asked=SETTINGS,
    message:
        "Evaluating: job {wildcards.job}"
    script:
        "../../scripts/evaluate_one.py"


rule evaluate:
    input:
        files=study_files,
        job_results=job_results,
        study="<results>/evaluation/study",
        toolchain=["results/toolchain.json"] if STUDY_MODELS else [],
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
        asked=SETTINGS,
    message:
        "Joining what the jobs found, and writing the report"
    script:
        "../../scripts/evaluate.py"

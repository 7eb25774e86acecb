# What: evaluates a user's own data: models, voters and rates, by every method that the data support.
#       A job of its own for each model, stratum and method, in processes on all cores.
# Needs: evaluate.files of the configuration; the compiled vote models.
# Makes: RESULTS/evaluate/: estimates.csv, curves.csv, items.csv, study.json and more.


rule evaluate:
    input:
        files=own_files,
        executables=[
            f"results/stan/{model}" for model in stan_models({"MAVEN": {}, "DS": {}})
        ],
        toolchain="results/toolchain.json",
    output:
        directory("<results>/evaluate"),
    log:
        "<results>/logs/evaluate.log",
    conda:
        "../../environment.yml"
    threads: all_cores()
    resources:
        mem_mb=4000,
    params:
        library=library("evaluate.py"),
        asked=config.get("evaluate", {}),
        settings={
            "seed": config["seed"],
            "level": config["level"],
            "imputations": config["imputations"],
            "resamples": config["bootstrap"],
        },
    message:
        "Evaluating {input.files}"
    script:
        "../../scripts/evaluate.py"

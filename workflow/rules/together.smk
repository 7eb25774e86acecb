# What: runs whole experiments in one job, where the configuration says `together: true`: draws their data,
#       fits their methods or runs their computations, and summarises; stands in for simulate.smk, estimate.smk
#       and summarise.smk. Experiments of a paper that sample no Stan model share a job.
# Needs: the experiments' blocks; prepared datasets where they name them; the compiled models.
# Makes: <results>/tables/EXPERIMENT.parquet, <results>/summaries/EXPERIMENT.parquet and .csv,
#        <results>/times/EXPERIMENT.parquet.

for job, names in drawn.experiment_jobs().items():

    rule:
        name:
            f"experiment_{job}"
        input:
            datasets=jobs.prepared(jobs.datasets_in(names)),
            executables=expand("results/stan/{model}", model=jobs.models_in(names)),
            toolchain=["results/toolchain.json"] if jobs.models_in(names) else [],
            programs=jobs.programs_in(jobs.models_in(names)),
        output:
            tables=expand("<results>/tables/{name}.parquet", name=names),
            summaries=expand("<results>/summaries/{name}.parquet", name=names),
            texts=expand("<results>/summaries/{name}.csv", name=names),
            times=expand("<results>/times/{name}.parquet", name=names),
        log:
            f"<results>/logs/experiments/{job}.log",
        conda:
            "../envs/stan.yaml"
        params:
            library=library(
                "experiment.py",
                simulator=entries(
                    jobs.values_in(names, "simulator")
                    + jobs.named_in(names, "simulator")
                ),
                dataset=entries(jobs.datasets_in(names)),
                computation=entries(jobs.values_in(names, "computation")),
                method=entries(
                    jobs.methods_in(names) + jobs.named_in(names, "method")
                ),
            ),
            tasks={name: plan.experiment_task(config, name) for name in names},
            datasets={name: plan.dataset(config["experiments"][name]) for name in names},
            axes={
                name: list(config["experiments"][name].get("vary", {}))
                for name in names
            },
        message:
            f"Running {', '.join(names)}"
        script:
            "../../scripts/experiment.py"

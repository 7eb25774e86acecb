# What: whole experiments in a job, where the configuration says `together: true`: draws their data,
#       fits their methods or runs their checks, and summarises; in the place of simulate, estimate,
#       summarise. Experiments of a paper that sample no Stan model share a job.
# Needs: the experiments' blocks; prepared datasets where they name them; the compiled models.
# Makes: RESULTS/tables/EXPERIMENT.parquet, RESULTS/summaries/EXPERIMENT.parquet and .csv,
#        RESULTS/times/EXPERIMENT.parquet.

for job, run in drawn.experiment_jobs().items():

    rule:
        name:
            f"experiment_{job}"
        input:
            datasets=jobs.prepared(jobs.datasets_in(run)),
            executables=expand("results/stan/{model}", model=jobs.models_in(run)),
            toolchain=["results/toolchain.json"] if jobs.models_in(run) else [],
            programs=jobs.programs_in(jobs.models_in(run)),
        output:
            tables=expand("<results>/tables/{name}.parquet", name=run),
            summaries=expand("<results>/summaries/{name}.parquet", name=run),
            texts=expand("<results>/summaries/{name}.csv", name=run),
            times=expand("<results>/times/{name}.parquet", name=run),
        log:
            f"<results>/logs/experiments/{job}.log",
        conda:
            "../envs/stan.yaml"
        params:
            library=library(
                "experiment.py",
                simulator=entries(
                    jobs.values_in(run, "simulator") + jobs.named_in(run, "simulator")
                ),
                dataset=entries(jobs.datasets_in(run)),
                check=entries(jobs.values_in(run, "check")),
                method=entries(jobs.methods_in(run) + jobs.named_in(run, "method")),
            ),
            tasks={name: plan.experiment_task(config, name) for name in run},
            datasets={name: plan.dataset(config["experiments"][name]) for name in run},
            axes={
                name: list(config["experiments"][name].get("vary", {})) for name in run
            },
        message:
            f"Running {', '.join(run)}"
        script:
            "../../scripts/experiment.py"

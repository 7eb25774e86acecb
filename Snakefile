"""Only wiring stands here: configuration, its check, the stages, and what can be asked for."""

from snakemake.utils import min_version

min_version("9.12")


experiments = sorted(glob_wildcards("config/experiments/{name}.yaml").name)
scale = [f"config/{config['scale']}"] if "scale" in config else []


include: "workflow/rules/configuration.smk"  # before the files are read


for name in [*map("config/experiments/{}".format, experiments), "config", *scale]:

    configfile: f"{name}.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"  # checks the configuration, so it comes before any rule


for stage in stages():

    include: f"workflow/rules/{stage}.smk"


localrules:
    figures,
    validate,
    arena,
    benchmarks,
    docs,


# `figures`, the first, runs where no target is named; `validate`: coverage; `arena`: every estimator.
for target in ["figures", "validate", "arena"]:

    rule:
        name:
            target
        input:
            drawn.asked(target),
            jobs.verdicts() if target == "validate" else [],


rule benchmarks:
    input:
        expand("results/benchmarks/{name}", name=BENCHMARKS),


rule docs:
    input:
        "README.md",
        expand("docs/{page}.md", page=pages.of_target("docs")),
        expand("docs/how-to/{page}.md", page=HOW_TO),
        expand("docs/gallery/{figure}.svg", figure=drawn.gallery()),

# What: the pages of docs/ whose numbers come from results, and the figures of the gallery.
# Needs: figures and tables at the configured scale; `validate`; the benchmark.
# Makes: docs/cluster.md, comparison.md, coverage.md, reproduction.md,
#        reproduction_clara.md, reproduction_stableval.md, reproduction_judge_error.md,
#        reproduction_soft_metrics.md, scaling.md, which-method.md, how-to/*.md, docs/gallery/*.svg,
#        README.md and src/crowdgold/arena/worlds.json (tracked by git); not
#        reproduction_label_variation.md, which is of `make hlv` (label_variation.smk).

PAGES = [
    "cluster",
    "comparison",
    "coverage",
    "reproduction",
    "reproduction_clara",
    "reproduction_stableval",
    "reproduction_judge_error",
    "reproduction_soft_metrics",
    "scaling",
    "which-method",
]

HOW_TO = [
    "correct-a-rate",
    "experts-who-disagree",
    "long-data",
    "no-gold",
    "several-models",
    "unequal-votes",
    "wide-data",
]

COMPARED = ["maven_fig4", "maven_fig4_stress"]

# Table 3b is left out where its files cannot be had.
REPRODUCED = [
    "labelling_efficiency",
    "maven_autoeval",
    "maven_fig1",
    "maven_fig4",
    "maven_fig6",
    "maven_fig7",
    "maven_fig7_exact",
    "maven_task_2",
    "product_pairs",
    "wikipedia_conversations",
]

REPRODUCED_CLARA = [
    "clara_fig2",
    "clara_fig3",
    "clara_fig4",
    "clara_fig5",
    "clara_fig7_a",
    "clara_fig7_b",
    "clara_fig8",
    "clara_fig9",
    "clara_fig11",
    "clara_fig11_given",
    "clara_fig12",
]

JUDGED = ["mt_bench", "convabuse", "qags", "mslr"]

REPRODUCED_STABLEVAL = [
    *[f"stableval_{name}" for name in JUDGED],
    *[f"stableval_{name}_converged" for name in JUDGED],
    "stableval_mappings",
    "stableval_stability",
    "stableval_posteriors",
    "stableval_bootstrap",
]

REPRODUCED_SYNTHETIC = [
    "stableval_synthetic",
    "stableval_synthetic_published",
    "stableval_synthetic_stability",
    "stableval_synthetic_stability_published",
    "stableval_own_world",
    "stableval_correlated",
]

REPRODUCED_JUDGE_ERROR = [
    "judge_error_simulation",
    "judge_error_printed_run",
    "judge_error_formula",
    "judge_error_by_class",
    "judge_error_grid",
    "judge_error_models",
]

# ChaosNLI is left out where it cannot be had.
REPRODUCED_SOFT_METRICS = [
    "soft_metric_curve",
    "soft_metric_correlations",
    "soft_metric_scores",
    "metric_study",
]


rule document_comparison:
    input:
        tables=expand("<results>/tables/{name}.parquet", name=COMPARED),
    output:
        "docs/comparison.md",
    log:
        "<results>/logs/document_comparison.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_comparison.py", method=none),
        axis="gold_fraction",
        titles=lambda wildcards: [
            config["experiments"][name]["title"] for name in COMPARED
        ],
    message:
        "Writing docs/comparison.md"
    script:
        "../../scripts/document_comparison.py"


rule document_reproduction:
    input:
        tables=lambda wildcards: available_tables(REPRODUCED),
        benchmarks=["<results>/benchmarks/model_scaling.parquet"],
        printed="config/printed/maven.yaml",
    output:
        "docs/reproduction.md",
    log:
        "<results>/logs/document_reproduction.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_reproduction.py", method=none),
        labelling=lambda wildcards: config["figures"]["maven_labelling_efficiency"][
            "options"
        ],
    message:
        "Writing docs/reproduction.md"
    script:
        "../../scripts/document_reproduction.py"


rule document_reproduction_clara:
    input:
        tables=[
            f"<results>/tables/{name}.parquet"
            for name in REPRODUCED_CLARA
            if name in config["experiments"] and plan.can_run(config, name)
        ],
        printed="config/printed/clara.yaml",
    output:
        "docs/reproduction_clara.md",
    log:
        "<results>/logs/document_reproduction_clara.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_reproduction_clara.py", method=none),
    message:
        "Writing docs/reproduction_clara.md"
    script:
        "../../scripts/document_reproduction_clara.py"


rule compare_stableval:
    input:
        datasets=expand(
            "results/datasets/{name}.parquet", name=[*JUDGED, "stableval_published"]
        ),
    output:
        posteriors="<results>/tables/stableval_posteriors.parquet",
        bootstrap="<results>/tables/stableval_bootstrap.parquet",
    log:
        "<results>/logs/compare_stableval.log",
    conda:
        "../../environment.yml"
    params:
        library=library("compare_stableval.py", method=none),
        seed=config["seed"],
        resamples=200,
    message:
        "Holding the published posteriors and bootstrap against ours"
    script:
        "../../scripts/compare_stableval.py"


rule document_reproduction_stableval:
    input:
        tables=expand(
            "<results>/tables/{name}.parquet",
            name=[*REPRODUCED_STABLEVAL, *REPRODUCED_SYNTHETIC],
        ),
        times="<results>/times/stableval_synthetic_published.parquet",
        printed="config/printed/stableval.csv",
        synthetic="config/printed/stableval_synthetic.yaml",
    output:
        "docs/reproduction_stableval.md",
    log:
        "<results>/logs/document_reproduction_stableval.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_reproduction_stableval.py", method=none),
    message:
        "Writing docs/reproduction_stableval.md"
    script:
        "../../scripts/document_reproduction_stableval.py"


rule document_reproduction_judge_error:
    input:
        tables=expand("<results>/tables/{name}.parquet", name=REPRODUCED_JUDGE_ERROR),
        printed="config/printed/judge_error.yaml",
    output:
        "docs/reproduction_judge_error.md",
    log:
        "<results>/logs/document_reproduction_judge_error.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_reproduction_judge_error.py", method=none),
    message:
        "Writing docs/reproduction_judge_error.md"
    script:
        "../../scripts/document_reproduction_judge_error.py"


rule document_reproduction_soft_metrics:
    input:
        tables=lambda wildcards: available_tables(REPRODUCED_SOFT_METRICS),
        printed="config/printed/soft_metrics.yaml",
    output:
        "docs/reproduction_soft_metrics.md",
    log:
        "<results>/logs/document_reproduction_soft_metrics.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_reproduction_soft_metrics.py", method=none),
    message:
        "Writing docs/reproduction_soft_metrics.md"
    script:
        "../../scripts/document_reproduction_soft_metrics.py"


rule document_coverage:
    input:
        summary="<results>/summaries/maven_coverage.parquet",
        verdict="<results>/summaries/maven_coverage_verdict.txt",
        settings=lambda wildcards: tables_of("maven_intervals")(wildcards),
        biased=expand(
            "<results>/tables/bias_causes_{world}.parquet",
            world=["middling", "irt", "deviation"],
        ),
        shared="<results>/tables/shared_labels.parquet",
        own_models=lambda wildcards: tables_of("maven_own_models")(wildcards),
        own_model_verdicts=lambda wildcards: verdicts("maven_own_models"),
        ranks=lambda wildcards: tables_of("maven_calibration")(wildcards),
        rank_verdicts=lambda wildcards: verdicts("maven_calibration"),
        clara="<results>/summaries/clara_coverage.parquet",
        clara_verdict="<results>/summaries/clara_coverage_verdict.txt",
    output:
        "docs/coverage.md",
    log:
        "<results>/logs/document_coverage.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_coverage.py", method=none),
        titles=lambda wildcards: config["figures"]["maven_own_models"]["options"][
            "titles"
        ],
    message:
        "Writing docs/coverage.md"
    script:
        "../../scripts/document_coverage.py"


# The record comes with the library: `crowdgold evaluate` names the nearest world in it.
rule document_which_method:
    input:
        summaries=lambda wildcards: tables_of("arena")(wildcards),
        times=lambda wildcards: [
            f"<results>/times/{name}.parquet" for name in drawn_experiments("arena")
        ],
        datasets=lambda wildcards: expand(
            "results/datasets/{name}.parquet",
            name=datasets_in(drawn_experiments("arena")),
        ),
    output:
        page="docs/which-method.md",
        record="src/crowdgold/arena/worlds.json",
    log:
        "<results>/logs/document_which_method.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_which_method.py", method=none),
        options=lambda wildcards: config["figures"]["arena"]["options"],
        real=lambda wildcards: plan.optional_datasets(config, "arena"),
        tasks=lambda wildcards: [
            plan.data_task(
                config,
                name,
                plan.ALL,
                plan.all_replicates(config["experiments"][name]),
            )
            for name in drawn_experiments("arena")
        ],
    message:
        "Writing docs/which-method.md"
    script:
        "../../scripts/document_which_method.py"


rule document_scaling:
    input:
        table="results/benchmarks/maven_scaling.csv",
        joint="results/benchmarks/joint_models.parquet",
        study="results/benchmarks/own_study.csv",
        em="results/benchmarks/confusion_em.csv",
    output:
        page="docs/scaling.md",
        figure="docs/gallery/maven_scaling.svg",
    log:
        "<results>/logs/document_scaling.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_scaling.py", method=none),
    message:
        "Writing docs/scaling.md"
    script:
        "../../scripts/document_scaling.py"


rule document_cluster:
    input:
        table="results/benchmarks/paper_scale.csv",
    output:
        "docs/cluster.md",
    log:
        "<results>/logs/document_cluster.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_cluster.py"),
    message:
        "Writing docs/cluster.md"
    script:
        "../../scripts/document_cluster.py"


# What `crowdgold check` says in a page names worlds of the record.
rule document_how_to:
    input:
        template="docs/how-to/templates/{page}.md",
        record="src/crowdgold/arena/worlds.json",
    output:
        "docs/how-to/{page}.md",
    log:
        "<results>/logs/document_how_to/{page}.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_how_to.py"),
    message:
        "Writing docs/how-to/{wildcards.page}.md"
    script:
        "../../scripts/document_how_to.py"


# Its commands are run on the example study; it shows nothing of the record of worlds.
rule document_readme:
    input:
        template="docs/templates/README.md",
        study=expand(
            "src/crowdgold/example/{name}.csv", name=["votes", "gold", "scores"]
        ),
    output:
        "README.md",
    log:
        "<results>/logs/document_readme.log",
    conda:
        "../../environment.yml"
    params:
        library=library("document_readme.py"),
    message:
        "Writing README.md"
    script:
        "../../scripts/document_readme.py"


rule gallery:
    input:
        "<results>/figures/{figure}.svg",
    output:
        "docs/gallery/{figure}.svg",
    log:
        "<results>/logs/gallery/{figure}.log",
    conda:
        "../../environment.yml"
    message:
        "Copying {wildcards.figure} into the gallery"
    shell:
        "cp {input:q} {output:q}.partial 2> {log:q} && mv {output:q}.partial {output:q}"


ruleorder: document_scaling > gallery

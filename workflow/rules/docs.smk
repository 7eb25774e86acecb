# What: the pages of docs/ whose numbers come from results, and the figures of the gallery.
# Needs: figures and tables at the configured scale; `validate`; the benchmark.
# Makes: the pages of config/pages.yaml, docs/how-to/*.md, docs/gallery/*.svg,
#        README.md and src/crowdgold/arena/worlds.json (all tracked by git)

JUDGED = ["mt_bench", "convabuse", "qags", "mslr", "stableval_published"]
HOW_TO = glob_wildcards("docs/how-to/templates/{page}.md").page


rule document:
    input:
        unpack(pages.files),
        template="docs/templates/{page}.md.jinja",
        claims=pages.claims,
    output:
        "docs/{page}.md",
    log:
        "<results>/logs/document/{page}.log",
    wildcard_constraints:
        page="|".join(pages),
    conda:
        "../../environment.yml"
    params:
        library=library("document.py", method=none, module=pages.modules),
        page=pages.page,
        options=pages.options,
    message:
        "Writing docs/{wildcards.page}.md"
    script:
        "../../scripts/document.py"


rule compare_stableval:
    input:
        datasets=expand("results/datasets/{name}.parquet", name=JUDGED),
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


# The record comes with the library: `crowdgold evaluate` names the nearest world in it.
rule record_arena:
    input:
        summaries=drawn.tables_of("arena"),
        datasets=lambda wildcards: expand(
            "results/datasets/{name}.parquet",
            name=jobs.datasets_in(drawn.experiments("arena")),
        ),
    output:
        record="src/crowdgold/arena/worlds.json",
        cells="<results>/arena/cells.parquet",
        worlds="<results>/arena/worlds.parquet",
        real="<results>/arena/real.parquet",
    log:
        "<results>/logs/record_arena.log",
    conda:
        "../../environment.yml"
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


rule draw_scaling:
    input:
        "results/benchmarks/maven_scaling.csv",
    output:
        "docs/gallery/maven_scaling.svg",
    log:
        "<results>/logs/draw_scaling.log",
    conda:
        "../../environment.yml"
    params:
        library=library("draw_scaling.py"),
    message:
        "Drawing run time against the number of items"
    script:
        "../../scripts/draw_scaling.py"


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


ruleorder: draw_scaling > gallery

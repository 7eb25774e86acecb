# What: the target `docs` (`make docs`): the pages of docs/ whose numbers come from results, and the
#       figures of the gallery, made of what is published; nothing is run.
# Needs: docs/results/ and config/published.csv (publish.smk)
# Makes: the pages of config/pages.yaml, docs/claims/*.csv (what their claims came to), docs/answer-cells.csv and docs/gallery/*.svg (tracked by git)

CELLS = "docs/answer-cells.csv"
SPEEDS = drawn.place("results/benchmarks/maven_scaling.csv")


rule docs:
    input:
        "README.md",
        expand("docs/{page}.md", page=pages.ready(logger.warning)),
        HOW_TO,
        expand("docs/gallery/{figure}.svg", figure=drawn.gallery()),
        [CELLS] * ("answer" in drawn.gallery()),
        ["docs/gallery/maven_scaling.svg"] * Path(SPEEDS).is_file(),
    localrule: True


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


# A page that judges claims is written with the table of its verdicts, which other pages read.
use rule document as document_claims with:
    output:
        "docs/{page}.md",
        claims=judged_claims("{page}"),
    log:
        "<results>/logs/document_claims/{page}.log",
    wildcard_constraints:
        page="|".join(pages.with_claims),
    message:
        "Writing docs/{wildcards.page}.md and its verdicts"


ruleorder: document_claims > document


rule gallery:
    input:
        "<results>/figures/{figure}.svg",
    output:
        "docs/gallery/{figure}.svg",
    log:
        "<results>/logs/gallery/{figure}.log",
    conda:
        "../envs/library.yaml"
    message:
        "Copying {wildcards.figure} into the gallery"
    shell:
        "cp {input:q} {output:q}.partial 2> {log:q} && mv {output:q}.partial {output:q}"


rule answer_cells:
    input:
        drawn.tables_of("answer"),
    output:
        CELLS,
    log:
        "<results>/logs/answer_cells.log",
    conda:
        "../envs/library.yaml"
    params:
        library=library("answer_cells.py", method=none),
        options=lambda wildcards: config["figures"]["answer"]["options"],
    message:
        "Writing docs/answer-cells.csv"
    script:
        "../../scripts/answer_cells.py"


rule draw_scaling:
    input:
        SPEEDS,
    output:
        "docs/gallery/maven_scaling.svg",
    log:
        "<results>/logs/draw_scaling.log",
    conda:
        "../envs/figures.yaml"
    params:
        library=library("draw_scaling.py"),
    message:
        "Drawing run time against the number of items"
    script:
        "../../scripts/draw_scaling.py"


ruleorder: draw_scaling > gallery

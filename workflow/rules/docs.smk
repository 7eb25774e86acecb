# What: the pages of docs/ whose numbers come from results, and the figures of the gallery.
# Needs: figures and tables at the configured scale; `validate`; the benchmark.
# Makes: the pages of config/pages.yaml, docs/how-to/*.md, docs/gallery/*.svg and README.md (all
#        tracked by git)

HOW_TO = glob_wildcards(source("docs/how-to/templates/{page}.md")).page


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
        library=library("document_commands.py"),
    message:
        "Writing docs/how-to/{wildcards.page}.md"
    script:
        "../../scripts/document_commands.py"


# Its commands are run on the example study; it shows nothing of the record of worlds.
use rule document_how_to as document_readme with:
    input:
        template="docs/templates/README.md",
        study=expand(
            "src/crowdgold/example/{name}.csv", name=["votes", "gold", "scores"]
        ),
    output:
        "README.md",
    log:
        "<results>/logs/document_readme.log",
    message:
        "Writing README.md"


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

# What: the pages that show commands and what they print, README.md among them.
# Needs: their templates; the example study.
# Makes: docs/how-to/*.md, docs/tutorials/*.md and README.md (tracked by git)

HOW_TO = [
    f"docs/{folder}/{page}.md"
    for folder in ["how-to", "tutorials"]
    for page in glob_wildcards(source(f"docs/{folder}/templates/{{page}}.md")).page
]


rule document_how_to:
    input:
        template="docs/{folder}/templates/{page}.md",
    output:
        "docs/{folder}/{page}.md",
    log:
        "<results>/logs/document_how_to/{folder}/{page}.log",
    wildcard_constraints:
        folder="how-to|tutorials",
    conda:
        "../../environment.yml"
    params:
        library=library("document_commands.py"),
    message:
        "Writing docs/{wildcards.folder}/{wildcards.page}.md"
    script:
        "../../scripts/document_commands.py"


# This page shows the figure that its commands draw.
use rule document_how_to as document_figure_4 with:
    input:
        template="docs/tutorials/templates/figure-4.md",
    output:
        "docs/tutorials/figure-4.md",
        "docs/tutorials/more_votes.svg",
    log:
        "<results>/logs/document_figure_4.log",
    message:
        "Writing docs/tutorials/figure-4.md"


ruleorder: document_figure_4 > document_how_to


# The commands of README.md are run on the example study.
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

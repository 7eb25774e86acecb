# What: the pages that show commands and what they print, README.md among them.
# Needs: their templates; the example study.
# Makes: docs/how-to/*.md and README.md (tracked by git)

HOW_TO = glob_wildcards(source("docs/how-to/templates/{page}.md")).page


rule document_how_to:
    input:
        template="docs/how-to/templates/{page}.md",
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


# Its commands are run on the example study.
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

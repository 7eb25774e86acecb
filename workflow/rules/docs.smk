# What: the pages of docs/ whose numbers come from results, and the figures of the gallery.
# Needs: figures and tables at the configured scale, `validate`, the benchmark.
# Makes: docs/comparison.md, docs/coverage.md, docs/scaling.md, docs/gallery/*.svg (tracked by git).

COMPARED = ["maven_fig4", "maven_fig4_stress"]
GALLERY = [
    "maven_fig4",
    "maven_fig4_stress",
    "maven_fig6",
    "maven_product_pairs",
    "maven_chaosnli",
    "maven_coverage",
]


rule document:
    input:
        library=library("document.py"),
        tables=expand("<results>/tables/{name}.parquet", name=COMPARED),
        coverage="<results>/summaries/maven_coverage.parquet",
        scaling="results/benchmarks/maven_scaling.csv",
        figures=expand("<results>/figures/{name}.svg", name=GALLERY),
    output:
        comparison="docs/comparison.md",
        coverage="docs/coverage.md",
        scaling="docs/scaling.md",
        gallery=expand("docs/gallery/{name}.svg", name=GALLERY),
    log:
        "<results>/logs/document.log",
    conda:
        "../../environment.yml"
    params:
        axis="gold_fraction",
        level=config["level"],
        titles=lambda wildcards: [
            config["experiments"][name]["title"] for name in COMPARED
        ],
    message:
        "Writing docs/"
    script:
        "../../scripts/document.py"

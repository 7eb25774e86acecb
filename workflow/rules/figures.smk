# What: draws a figure from the tables of its experiments, and from nothing else.
# Needs: results/tables/EXPERIMENT.parquet or results/summaries/EXPERIMENT.parquet
# Makes: results/figures/FIGURE.svg, .pdf, .png, and the .csv that it was drawn from.

for figure in config["figures"]:

    # A rule a figure, because a caption belongs to a rule.
    rule:
        name:
            f"figure_{figure}"
        input:
            tables=tables_of(figure),
        output:
            report(
                f"<results>/figures/{figure}.svg",
                caption=caption_of(figure),
                category=config["figures"][figure]["paper"],
                labels={"figure": figure},
            ),
            pdf=f"<results>/figures/{figure}.pdf",
            png=f"<results>/figures/{figure}.png",
            table=f"<results>/figures/{figure}.csv",
        log:
            f"<results>/logs/figures/{figure}.log",
        conda:
            "../../environment.yml"
        params:
            library=library("figure.py", plot=plot_of(figure), method=none),
            figure=config["figures"][figure],
        message:
            f"Drawing figure {figure}"
        script:
            "../../scripts/figure.py"

# What: draws figures from the tables of their experiments, and from nothing else; a job for those of
#       the same tables, at the smallest scale for those of a paper.
# Needs: results/tables/EXPERIMENT.parquet or results/summaries/EXPERIMENT.parquet
# Makes: results/figures/FIGURE.svg, .pdf, .png, the .csv that it was drawn from, and
#        the .json that says where its numbers come from (`crowdgold trace`)

for job, drawn in figure_jobs().items():

    rule:
        name:
            f"figure_{job}"
        input:
            **{figure: tables_of(figure) for figure in drawn},
        output:
            [
                report(
                    f"<results>/figures/{figure}.svg",
                    caption=caption_of(figure),
                    category=config["figures"][figure]["paper"],
                    labels={"figure": figure},
                )
                for figure in drawn
            ],
            expand(
                "<results>/figures/{figure}.{ending}",
                figure=drawn,
                ending=["pdf", "png", "csv", "json"],
            ),
        log:
            f"<results>/logs/figures/{job}.log",
        conda:
            "../../environment.yml"
        params:
            # Methods say how they look.
            library=library(
                "figures.py",
                plot=entries(plots_in(drawn)),
                method=entries(methods_in(experiments_in(drawn))),
            ),
            mixed_code=config["mixed_code"],
            figures={figure: config["figures"][figure] for figure in drawn},
        message:
            f"Drawing {', '.join(drawn)}"
        script:
            "../../scripts/figures.py"

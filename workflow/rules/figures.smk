# What: draws figures from the tables of their experiments, and from nothing else; one job for all
#       figures of the same tables, at the smallest scale for all of a paper.
# Needs: <results>/tables/EXPERIMENT.parquet or <results>/summaries/EXPERIMENT.parquet
# Makes: <results>/figures/FIGURE.svg, .pdf, .png, the .csv that it was drawn from, and
#        the .json that says where its numbers come from (`crowdgold trace`)

for job, figures_here in drawn.figure_jobs().items():

    rule:
        name:
            f"figure_{job}"
        input:
            **{figure: drawn.tables_of(figure) for figure in figures_here},
        output:
            [
                report(
                    f"<results>/figures/{figure}.svg",
                    caption=drawn.caption(figure),
                    category=config["figures"][figure]["paper"],
                    labels={
                        "figure": figure,
                        "plot": config["figures"][figure]["plot"],
                    },
                )
                for figure in figures_here
            ],
            expand(
                "<results>/figures/{figure}.{ending}",
                figure=figures_here,
                ending=["pdf", "png", "csv", "json"],
            ),
        log:
            f"<results>/logs/figures/{job}.log",
        conda:
            "../envs/figures.yaml"
        params:
            # Methods name the colours, lines and markers that figures give them.
            library=library(
                "figures.py",
                plot=entries(drawn.plots_in(figures_here)),
                method=entries(jobs.methods_in(drawn.experiments_in(figures_here))),
            ),
            mixed_code=config["mixed_code"],
            figures={figure: config["figures"][figure] for figure in figures_here},
            # The captions' words on the scale: figures are drawn anew where these change.
            scales={figure: scale_note(config, figure) for figure in figures_here},
        message:
            f"Drawing {', '.join(figures_here)}"
        script:
            "../../scripts/figures.py"

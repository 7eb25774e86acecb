# What: the workflow, where people and Snakemake look for it first; it makes the figures.
# Needs: workflow/Snakefile, which can be used without this file (as a module, deployed, in the wheel);
#        config.yaml, to which config/config.yaml is a link; profiles/, which Snakemake looks for here.
# Makes: `all`: `figures`, or `docs` where tables are published. With the `include` alone a plain run does
#        nothing, silently: no rule of an included file is a default target. `all` is one as the first
#        rule of this file, and needs no `default_target`, which in a module would take the place of
#        the first rule of the Snakefile that uses it.


include: "workflow/Snakefile"


rule all:
    input:
        rules.figures.input if "published" not in config else rules.docs.input,
    localrule: True

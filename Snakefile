# What: the workflow, where people and Snakemake look for it first; it makes the figures.
# Needs: workflow/Snakefile, which can be used without this file (as a module, deployed, in the wheel);
#        config.yaml, to which config/config.yaml is a link; profiles/, which Snakemake looks for here.
# Makes: `all`, the first target: `figures`, or `docs` where tables are published. Snakemake takes no rule
#        of an included file as the first: without `default_target` a plain run would do nothing. In a
#        module it stays behind the rules of the Snakefile that uses it.


include: "workflow/Snakefile"


rule all:
    default_target: not workflow.modifier.namespace
    input:
        rules.figures.input if "published" not in config else rules.docs.input,
    localrule: True

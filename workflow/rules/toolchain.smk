# What: finds or assembles the CmdStan home, and compiles each Stan model once.
# Needs: a C++ compiler and make; stan/*.stan.
# Makes: results/toolchain.json (which home, which versions), results/stan/MODEL (executables).


rule toolchain:
    input:
        sources=[source(f"toolchain/{name}") for name in toolchain.SOURCES],
    output:
        "results/toolchain.json",
    log:
        "results/logs/toolchain.log",
    conda:
        "../envs/stan.yaml"
    resources:
        compilation=1,
    params:
        library=library("find_toolchain.py"),
    message:
        "Finding a CmdStan home"
    script:
        "../../scripts/find_toolchain.py"


rule compile_model:
    input:
        program=lambda wildcards: jobs.programs_in([wildcards.model]),
        toolchain="results/toolchain.json",
    output:
        "results/stan/{model}",
    log:
        "results/logs/stan/{model}.log",
    conda:
        "../envs/stan.yaml"
    resources:
        compilation=1,
    params:
        library=library("compile_model.py"),
    message:
        "Compiling stan/{wildcards.model}.stan (about half a minute)"
    script:
        "../../scripts/compile_model.py"


# The vote model is all that MAVEN needs of Stan: its jobs can run while the other models compile.
use rule compile_model as compile_vote_model with:
    output:
        "results/stan/{model,vote}",
    priority: 1


ruleorder: compile_vote_model > compile_model

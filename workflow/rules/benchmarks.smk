# What: timed comparisons with named peers.
# Needs: the compiled models of what is timed; a machine with nothing else to do.
# Makes: results/benchmarks/maven_scaling.csv: seconds by part and peak memory against n.


rule maven_scaling:
    input:
        library=library("../benchmarks/maven_scaling.py"),
        script="benchmarks/maven_scaling.py",
        models=["results/stan/vote", "results/stan/score"],
        toolchain="results/toolchain.json",
    output:
        "results/benchmarks/maven_scaling.csv",
    log:
        "results/logs/benchmarks/maven_scaling.log",
    conda:
        "../../environment.yml"
    # All cores of the machine, so that nothing runs beside it; the benchmark itself keeps to one.
    threads: workflow.cores
    params:
        python=sys.executable,
    message:
        "Measuring MAVEN's parts against n (some minutes)"
    shell:
        "{params.python} {input.script} --models results/stan --toolchain {input.toolchain}"
        " --output {output} 2>&1 | tee {log}"

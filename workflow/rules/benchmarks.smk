# What: timed comparisons with named peers, one job at a time on the whole machine.
# Needs: the compiled models of what is timed; a machine with nothing else to do.
# Makes: results/benchmarks/maven_scaling.csv: seconds by part and peak memory against n;
#        results/benchmarks/clara_sweeps.csv: time and memory of samplers, an item and a sweep;
#        results/benchmarks/confusion_em.csv: time and memory of STABLEVAL's EM, and of crowd-kit's;
#        results/benchmarks/paper_scale.csv: what config/paper.yaml costs, from measured replicates;
#        results/benchmarks/own_study.csv: time and memory of `crowdgold evaluate`, whole and by stage;
#        results/benchmarks/installs.csv: seconds and megabytes of installs (asks the package index);
#        results/benchmarks/joint_models.parquet: seconds of DS+S and H-AI at 10,000 items;
#        RESULTS/benchmarks/model_scaling.parquet: seconds by method against n, and their exponents.

BENCHMARKS = [
    "maven_scaling.csv",
    "clara_sweeps.csv",
    "confusion_em.csv",
    "own_study.csv",
    "joint_models.parquet",
]

SCALING = config.get("benchmarks", {}).get("model_scaling", {})
EARLIER = config.get("benchmarks", {}).get("own_study", {}).get("before")
SCALED = {"DS": {}, "DS+S": {}, "H-AI": {}, "MAVEN": {"cut": "nested"}}


rule maven_scaling:
    input:
        script=source("benchmarks/maven_scaling.py"),
        models=["results/stan/vote", "results/stan/score"],
        toolchain="results/toolchain.json",
    output:
        "results/benchmarks/maven_scaling.csv",
    log:
        "results/logs/benchmarks/maven_scaling.log",
    conda:
        "../envs/stan.yaml"
    # All cores of the machine, so that nothing runs beside it; the benchmark itself keeps to one.
    threads: all_cores()
    params:
        library=library("../benchmarks/maven_scaling.py"),
        python=sys.executable,
    message:
        "Measuring MAVEN's parts against n (some minutes)"
    shell:
        "{params.python:q} {input.script:q} --models results/stan --toolchain {input.toolchain:q}"
        " --output {output:q} 2>&1 | tee {log:q}"


rule model_scaling:
    input:
        peers=source("benchmarks/numpyro_models.py"),
        script=source("benchmarks/model_scaling.py"),
        models=expand("results/stan/{model}", model=stan_models(SCALED)),
        toolchain="results/toolchain.json",
    output:
        "<results>/benchmarks/model_scaling.parquet",
    log:
        "<results>/logs/benchmarks/model_scaling.log",
    conda:
        "../envs/stan.yaml"
    threads: all_cores()
    params:
        library=library("../benchmarks/model_scaling.py", method=none),
        python=sys.executable,
        with_peers=importlib.util.find_spec("numpyro") is not None,
        settings=[
            word
            for name, value in SCALING.items()
            for word in (f"--{name}", *(value if isinstance(value, list) else [value]))
        ],
    message:
        "Timing methods against n (minutes)"
    shell:
        "{params.python:q} {input.script:q} {params.settings:q} --models results/stan"
        " --toolchain {input.toolchain:q} --output {output:q} > {log:q} 2>&1"


rule joint_models:
    input:
        script=source("benchmarks/model_scaling.py"),
        models=expand(
            "results/stan/{model}", model=stan_models({"DS+S": {}, "H-AI": {}})
        ),
        toolchain="results/toolchain.json",
    output:
        "results/benchmarks/joint_models.parquet",
    log:
        "results/logs/benchmarks/joint_models.log",
    conda:
        "../envs/stan.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library("../benchmarks/model_scaling.py", method=none),
        python=sys.executable,
        methods=["DS+S", "DS+S, compressed", "H-AI", "H-AI, compressed"],
    message:
        "Timing DS+S and H-AI at 10,000 items (some minutes)"
    shell:
        "{params.python:q} {input.script:q} --n 10000 --chains 4 --warmup 500 --draws 500 --runs 1"
        " --methods {params.methods:q} --models results/stan --toolchain {input.toolchain:q}"
        " --output {output:q} 2>&1 | tee {log:q}"


rule clara_sweeps:
    input:
        script=source("benchmarks/clara_sweeps.py"),
    output:
        "results/benchmarks/clara_sweeps.csv",
    log:
        "results/logs/benchmarks/clara_sweeps.log",
    conda:
        "../envs/stan.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library("../benchmarks/clara_sweeps.py"),
        python=sys.executable,
    message:
        "Timing CLARA's samplers (some minutes)"
    shell:
        "{params.python:q} {input.script:q} --output {output:q} 2>&1 | tee {log:q}"


rule confusion_em:
    input:
        script=source("benchmarks/confusion_em.py"),
    output:
        "results/benchmarks/confusion_em.csv",
    log:
        "results/logs/benchmarks/confusion_em.log",
    conda:
        "../envs/stan.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library("../benchmarks/confusion_em.py"),
        python=sys.executable,
        peers=(
            []
            if importlib.util.find_spec("crowdkit") is not None
            else ["--without-peers"]
        ),
    message:
        "Timing the EM for confusion matrices (some minutes; with crowd-kit, make peers, more)"
    shell:
        "{params.python:q} {input.script:q} {params.peers:q} --output {output:q} 2>&1 | tee {log:q}"


rule paper_scale:
    input:
        script=source("benchmarks/paper_scale.py"),
        models=expand(
            "results/stan/{model}", model=jobs.models_in(list(config["experiments"]))
        ),
        toolchain="results/toolchain.json",
        datasets=lambda wildcards: expand(
            "results/datasets/{name}.parquet",
            name=[
                name
                for name in jobs.datasets_in(list(config["experiments"]))
                if not drawn.unavailable(name)
            ],
        ),
    output:
        "results/benchmarks/paper_scale.csv",
    log:
        "results/logs/benchmarks/paper_scale.log",
    conda:
        "../envs/stan.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library(
            "../benchmarks/paper_scale.py",
            simulator=entries(
                jobs.values_in(list(config["experiments"]), "simulator")
            ),
            check=entries(jobs.values_in(list(config["experiments"]), "check")),
        ),
        python=sys.executable,
    message:
        "Measuring what the papers' scale costs (half an hour or more)"
    shell:
        "{params.python:q} {input.script:q} --models results/stan --toolchain {input.toolchain:q}"
        " --datasets results/datasets --output {output:q} 2>&1 | tee {log:q}"


rule own_study:
    input:
        script=source("benchmarks/own_study.py"),
        models=["results/stan/vote", "results/stan/dawid_skene"],
        toolchain="results/toolchain.json",
    output:
        "results/benchmarks/own_study.csv",
    log:
        "results/logs/benchmarks/own_study.log",
    conda:
        "../envs/stan.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library("../benchmarks/own_study.py"),
        before=["--before", EARLIER] if EARLIER else [],
        python=sys.executable,
    message:
        "Measuring crowdgold evaluate (some minutes)"
    shell:
        "{params.python:q} {input.script:q} --models results/stan --toolchain {input.toolchain:q}"
        " {params.before:q} --output {output:q} 2>&1 | tee {log:q}"


rule installs:
    input:
        answer=source("benchmarks/own_study.py"),
        script=source("benchmarks/install.py"),
    output:
        "results/benchmarks/installs.csv",
    log:
        "results/logs/benchmarks/installs.log",
    conda:
        "../envs/library.yaml"
    # As above: nothing runs beside it.
    threads: all_cores()
    params:
        library=library("../benchmarks/install.py"),
        python=sys.executable,
    message:
        "Installing crowdgold into new environments (some minutes)"
    shell:
        "{params.python:q} {input.script:q} --output {output:q} 2>&1 | tee {log:q}"


rule benchmarks:
    input:
        expand("results/benchmarks/{name}", name=BENCHMARKS),
    localrule: True

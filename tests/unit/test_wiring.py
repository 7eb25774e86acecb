"""What the rules ask of the configuration: jobs, figures, and how a run begins."""

import fcntl
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from crowdgold.claims.pages import Pages
from crowdgold.experiment.publication import scale_note, scale_notes
from crowdgold.experiment.run import Run
from crowdgold.experiment.wiring import Drawn, Jobs, entries, none
from crowdgold.types.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
VOTES = {"paper": "maven", "simulator": "maven", "methods": ["MAVEN", "MV"], "metrics": ["AUC"]}
CONFIG = {
    "seed": 1, "level": 0.95, "imputations": 20, "bootstrap": 100, "sampler": {"chains": 2},
    "methods": {}, "together": False, "pathvars": {"results": "results"},
    "experiments": {
        "simulated": {**VOTES, "replicates": 5, "block": 2, "expect": {}},
        "real": {**VOTES, "simulator": "real", "replicates": 1},
        "other": {**VOTES, "replicates": 1},
    },
    "figures": {
        "curve": {"paper": "maven", "plot": "lines", "experiments": ["simulated"]},
        "table": {"paper": "maven", "plot": "table", "experiments": ["simulated", "real"],
                  "table": "tables"},
        "optional": {"paper": "maven", "plot": "lines", "experiments": ["simulated", "real"],
                     "optional": ["real"], "target": "answer"},
        "timed": {"paper": "maven", "plot": "lines", "benchmark": "scaling"},
    },
}  # fmt: skip
REAL = CONFIG["experiments"]["real"]
REAL["dataset"] = REAL.pop("simulator")


@pytest.fixture
def jobs(tmp_path):
    results = {"pathvars": {"results": str(tmp_path / "results")}}
    return Jobs({**CONFIG, **results}, tmp_path)


def figures_of(jobs, missing="", said=None):
    why = {"real": missing}
    return Drawn(jobs, (said if said is not None else []).append, lambda name: why[name])


def of(experiment, **more):
    return SimpleNamespace(experiment=experiment, **more)


def test_a_job_needs_the_models_of_its_own_methods(jobs):
    job = of("simulated", setting="all", replicates="0-1")
    job.group = "MAVEN"
    assert jobs.methods(job) == ["MAVEN"]
    assert jobs.executables(job) == ["results/stan/vote"]
    assert jobs.toolchain(job) == ["results/toolchain.json"]
    job.group = "without_stan"
    assert jobs.methods(job) == ["MV"]
    assert jobs.executables(job) == jobs.toolchain(job) == []
    assert jobs.estimate_task(job)["replicates"] == [0, 1]


def test_a_check_depends_on_the_methods_and_simulators_that_its_block_names(jobs):
    """Its file imports neither: an edit of either has to make its results again."""
    block = {"computation": "experts", "replicates": 1, "vary": {"n_gold": [50]},
             "parameters": {"method": "logistic-R", "readings": ["GT"], "metrics": ["AUC"],
                            "study": {"simulator": "irt"}}}  # fmt: skip
    own = Jobs({**CONFIG, "experiments": {"experts": block}}, jobs.root)
    job = of("experts")
    assert own.named("method")(job) == ["logistic-R", "GT"]
    assert own.named("simulator")(job) == ["irt"]
    used = {"computation": own.source_of("computation"), "method": own.named("method"),
            "simulator": own.named("simulator")}  # fmt: skip
    files = Jobs(own.config, ROOT).library("compute.py", **used)(job)
    for file in ("methods/logistic.py", "models/logistic.py", "simulate/irt.py"):
        assert f"crowdgold/{file}" in files
    assert "crowdgold/methods/maven.py" not in files


def test_jobs_name_what_they_need(jobs):
    rows, times = (ask(of("simulated")) for ask in (jobs.rows, jobs.times))
    assert len(rows) == len(times) == 2 * 3
    assert [path.replace("<results>/", "<results>/times/") for path in rows] == times
    assert jobs.prepared_dataset(of("real")) == ["results/datasets/real.parquet"]
    assert jobs.prepared_dataset(of("simulated")) == []
    assert jobs.source_of("dataset")(of("real")) == ["real"]
    assert jobs.source_of("simulator")(of("real")) == []
    assert jobs.verdicts() == ["<results>/summaries/simulated_verdict.txt"]
    assert jobs.verdicts("table") == jobs.verdicts()
    assert Jobs({**jobs.config, "together": True}, jobs.root).verdicts() == []


def test_what_was_set_aside_is_made_again(jobs):
    before = jobs.made_of("simulated")
    rows = jobs.rows(of("simulated"))
    lost = next(path for path in rows if "/MAVEN/0-1" in path)
    damaged = jobs.results / lost.removeprefix("<results>/")
    damaged = damaged.with_name(f".{damaged.name}.damaged")
    damaged.parent.mkdir(parents=True)
    damaged.touch()
    assert jobs.made_of("simulated") == [*before, lost]


def test_a_figure_whose_dataset_is_missing_is_skipped_or_drawn_without(jobs):
    said = []
    drawn = figures_of(jobs, "real: no network", said)
    assert drawn.figures("figures") == ["curve", "timed"] == drawn.figures("figures")
    assert said == ["Skipped: figure table needs dataset real: no network"]
    assert figures_of(jobs).figures("figures") == ["curve", "table", "timed"]
    said = []
    drawn = figures_of(jobs, "real: no network", said)
    assert drawn.figures("answer") == ["optional"]
    assert drawn.tables_of("optional")(None) == ["<results>/summaries/simulated.parquet"]
    assert said == ["Left out of figure optional: real, which needs dataset real: no network"]
    assert drawn.available_tables(["real", "other"]) == ["<results>/tables/other.parquet"]
    assert [name for name, _ in figures_of(jobs).data_tables("optional")] == ["simulated"] * 3 + [
        "real"
    ]
    asked = figures_of(jobs, "no network").asked("figures")(None)
    assert "<results>/figures/curve.json" in asked
    assert "<results>/benchmarks/scaling.parquet" in asked
    assert "<results>/times/simulated.parquet" in asked
    assert not [path for path in asked if "real" in path or "other" in path]
    assert len(asked) == len(set(asked))


PAGES = """
claimed:
  tables: [simulated, <results>/benchmarks/times.parquet]
  available: [other, real, gone]
  files:
    curve: "<results>/summaries/{table}.parquet"
    verdicts: "<results>/summaries/{table}_verdict.txt"
    printed: config/printed/it.yaml
  config: {plot: figures.curve.plot}
  modules: {own: crowdgold.claims.cells}
  claims: crowdgold.papers.maven
plain: {}
"""


def test_a_page_is_made_of_files_modules_and_parts_of_the_configuration(jobs, tmp_path):
    (tmp_path / "pages.yaml").write_text(PAGES)
    said = []
    pages = Pages(figures_of(jobs, "real: no network", said), tmp_path / "pages.yaml")
    assert pages.ready(said.append) == ["plain"]
    assert said[-1].startswith("docs/claimed.md stays as it is: no <results>/tables/simulated")
    claimed, plain = (SimpleNamespace(page=name) for name in pages)
    both = [f"<results>/summaries/{name}" for name in ("simulated", "real")]
    assert pages.files(claimed) == {
        "tables": [
            f"<results>/{name}.parquet"
            for name in ("tables/simulated", "benchmarks/times", "tables/other")
        ],
        "curve": [f"{one}.parquet" for one in both],
        "verdicts": [f"{both[0]}_verdict.txt"],
        "printed": "config/printed/it.yaml",
    }
    assert "Left out: real, for real: no network" in said
    own = {"crowdgold.claims.cells", "crowdgold.papers.maven.pages"}
    assert set(pages.modules(claimed)) == own
    scales = {"scale_of": scale_notes(jobs.config)}
    assert pages.options(claimed) == {"plot": "lines", **scales}
    (claims,) = pages.claims(claimed)
    assert claims.endswith("papers/maven/claims.yaml")
    assert (pages.files(plain), pages.options(plain)) == ({}, scales)
    assert pages.claims(plain) == pages.modules(plain) == []


def test_a_caption_says_a_scale_below_the_papers_until_it_is_published_at_theirs():
    """Of a run as of what is published; an experiment that is not published says nothing."""
    assert scale_note(CONFIG, "curve") == "Default scale: 5 replicates."
    assert scale_note(CONFIG, "table") == "Default scale: 1 to 5 replicates."
    assert scale_note({**CONFIG, "scale": "smoke"}, "curve") == "Smoke scale: 5 replicates."
    assert scale_note({**CONFIG, "scale": "paper"}, "table") == ""

    def published(**scales):
        return scale_notes({**CONFIG, "scale": "published", "published": scales})

    found = published(simulated="default", real="default")
    assert found["table"] == " Default scale: 1 to 5 replicates."
    assert found["timed"] == ""
    part = published(simulated="paper", real="default")
    assert part["curve"] == ""
    assert part["table"] == " Default scale of real: 1 replicate."
    assert set(published(simulated="paper", real="paper").values()) == {""}
    assert published(simulated="default")["table"] == " Default scale: 5 replicates."
    assert published(scaling="default")["timed"] == " Default scale."


def test_figures_of_the_same_tables_share_a_job_and_of_a_paper_at_the_smallest_scale(jobs):
    assert figures_of(jobs).figure_jobs() == {
        name: [name] for name in ("curve", "table", "optional", "timed")
    }
    smoke = Jobs({**jobs.config, "together": True}, jobs.root)
    assert figures_of(smoke).figure_jobs()["curve"] == ["curve", "table", "timed"]
    apart = figures_of(smoke, "no network").figure_jobs()
    assert apart["curve"] == ["curve", "timed"]
    assert apart["table"] == ["table"]


def test_the_code_of_a_rule_is_that_of_the_entries_its_job_uses(jobs, request):
    jobs.root = request.config.rootpath
    used = ("MV", "CLARA")
    code = jobs.library("estimate.py", method=lambda job: [job.method])
    mine, other = (code(SimpleNamespace(method=name)) for name in used)
    assert set(mine) != set(other)
    assert "scripts/estimate.py" in mine
    assert set(jobs.library("estimate.py", method=none)(None)) < set(mine)
    assert jobs.library("estimate.py", method=entries(["MV"]))(None) == mine


def config_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return {"pathvars": {"results": "results/smoke"}, "experiments": {}, "figures": {}, "é": [1]}


def test_a_run_clears_what_was_left_and_keeps_its_configuration(tmp_path, monkeypatch):
    config, said = config_in(tmp_path, monkeypatch), []
    left = tmp_path / "results/smoke/tables/.a.parquet.0123.partial"
    damaged = tmp_path / "results/smoke/tables/a.parquet"
    left.parent.mkdir(parents=True)
    left.touch()
    damaged.write_bytes(b"no table")
    run = Run(config, said.append)
    run.begin()
    assert not left.exists()
    assert not damaged.exists()
    assert damaged.with_name(".a.parquet.damaged").exists()
    assert "a.parquet is damaged" in said[0]
    kept = tmp_path / "results/smoke/config.yaml"
    assert yaml.safe_load(kept.read_text()) == config
    kept.unlink()
    run.begin()
    assert not kept.exists(), "it begins once"


def test_what_jobs_on_other_nodes_write_is_left(tmp_path, monkeypatch):
    config = config_in(tmp_path, monkeypatch)
    left = tmp_path / "results/smoke/tables/.a.parquet.0123.partial"
    left.parent.mkdir(parents=True)
    left.touch()
    Run(config, print).begin(local=False)
    assert left.exists()


def test_a_folder_that_another_run_holds_is_refused(tmp_path, monkeypatch):
    config = config_in(tmp_path, monkeypatch)
    (tmp_path / "results").mkdir()
    with (tmp_path / "results/.running").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another run is at work in this folder"):
            Run(config, print).begin()
    assert not (tmp_path / "results/smoke").exists()

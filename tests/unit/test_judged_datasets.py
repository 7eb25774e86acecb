"""The datasets of judged systems: how their files are read, and what the paper prints of them.

What is printed is checked where the files can be had: point CROWDGOLD_DATA at a folder with them.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets import convabuse, mslr, mt_bench, qags
from crowdgold.datasets.dataset import check_counts
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.inference.agents import shares_of
from crowdgold.methods.registry import fit
from crowdgold.metrics.agents import agent_scores
from crowdgold.models.stan import StanModels
from crowdgold.papers.stableval.published_posteriors import annotations_of, posterior_differences
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError

PRINTED_FILE = Path(__file__).parents[2] / "config/printed/stableval.csv"
JUDGED = ("mt_bench", "convabuse", "qags", "mslr")


@pytest.fixture
def any_counts(monkeypatch):
    """Small files made here do not have the counts that the paper prints."""
    for module in (qags, convabuse, mslr, mt_bench):
        monkeypatch.setattr(module, "PRINTED", {})


def sentence(*responses):
    votes = [{"worker_id": who, "response": answer} for who, answer in responses]
    return {"sentence": "s", "responses": votes}


def write_qags(folder, second='{"summary_sentences": []}'):
    lines = [{"summary_sentences": [sentence((3, "yes"), (5, "no")), sentence((3, "no"))]}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "mturk_cnndm.jsonl").write_text(text)
    (folder / "mturk_xsum.jsonl").write_text(second)


def test_qags_names_responses_by_line_and_sentence(tmp_path, any_counts):
    write_qags(tmp_path)
    assert qags.prepare(tmp_path).to_numpy().tolist() == [
        ["cnn_1_sent0_CNN", "CNN", "worker_3", "1"],
        ["cnn_1_sent0_CNN", "CNN", "worker_5", "0"],
        ["cnn_1_sent1_CNN", "CNN", "worker_3", "0"],
    ]


def write_convabuse(folder, *rows):
    columns = ["annotator_id", "conv_id", "bot", *convabuse.LEVEL]
    pd.DataFrame(rows, columns=columns).to_csv(folder / convabuse.FILE, index=False)


def severity(value):
    return [int(name == f"is_abuse.{value}") for name in convabuse.LEVEL]


def test_convabuse_maps_the_scale_and_keeps_an_annotators_first_judgement(tmp_path, any_counts):
    rows = [("A1", "1.0", "X", *severity(1)), ("A1", "1.0", "X", *severity(-3)),
            ("A2", "1.0", "X", *severity(-1)), ("A1", "2.0", "Y", *severity(-2))]  # fmt: skip
    write_convabuse(tmp_path, *rows)
    frame = convabuse.prepare(tmp_path)
    assert frame["label"].tolist() == ["0", "1", "2"]
    assert frame["item"].tolist() == ["convabuse_1.0_X", "convabuse_1.0_X", "convabuse_2.0_Y"]


FACETS = ["fluent?", "population?", "intervention?", "outcome?"]


def write_mslr(folder, first, second):
    columns = ["ExpID", "ReviewID", "Target", "Generated", *FACETS]
    for name, rows in zip(mslr.FILES.values(), (first, second), strict=True):
        pd.DataFrame(rows, columns=columns).to_csv(folder / name, sep="\t", index=False)


def test_mslr_cuts_the_mean_of_the_facets_that_were_judged(tmp_path, any_counts):
    """Means 4/3 and 3/4; 3/2 and 1/2: limits belong to the level above; R2 of AGENT1 has none."""
    texts = ("t", "g")
    first = [
        ("xxAGENT1", "R1", *texts, "2: Yes", "1: Partially", "N/A: none", "1: Partially"),
        ("xxAGENT1", "R2", *texts, "Other", "N/A", "", "N/A"),
        ("xxAGENT2", "R2", *texts, "2: Yes", "2", "1", "1"),
    ]
    second = [
        ("yyAGENT2", "R2", *texts, "0: No", "1", "1", "0"),
        ("yyAGENT1", "R1", *texts, "1", "0", "1", "1"),
        ("yyAGENT1", "R3", *texts, "2", "2", "2", "2"),
    ]
    write_mslr(tmp_path, first, second)
    frame = mslr.prepare(tmp_path)
    agents, names = ["R1_AGENT1"] * 2 + ["R2_AGENT2"] * 2, ["annotator_0", "annotator_1"] * 2
    assert frame["item"].tolist() == [f"mslr_Cochrane_{one}" for one in agents]
    assert frame["annotator"].tolist() == names
    assert frame["label"].tolist() == [*"1120"]


def write_mt_bench(folder, rows):
    columns = ["item_id", "agent_id", "annotator_id", "label"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / mt_bench.FILE, index=False)


PAIRS = [("q1", "A", "J", 2), ("q1", "B", "J", 0), ("q1", "A", "J", 1), ("q1", "C", "J", 1)]


@pytest.mark.parametrize(
    ("mapping", "labels", "credit"),
    [
        ("baseline", [2, 1, 0, 1], [0, 0.5, 1]),
        ("drop_ties", [1, 0], [0, 1]),
        ("tie_win", [1, 1, 0, 1], [0, 1]),
        ("tie_loss", [1, 0, 0, 0], [0, 1]),
        ("tie_025", [2, 1, 0, 1], [0, 0.25, 1]),
        ("tie_075", [2, 1, 0, 1], [0, 0.75, 1]),
    ],
)
def test_mt_bench_keeps_repeats_and_maps_ties(tmp_path, any_counts, mapping, labels, credit):
    write_mt_bench(tmp_path, PAIRS)
    frame = mt_bench.prepare(tmp_path)
    table = mt_bench.draw_task(frame, {"mapping": mapping}, np.random.default_rng(0))
    assert table.label.tolist() == labels
    assert table.credit.tolist() == credit
    assert list(table.agent) == list("ABC")[: len(set(table.agent_of))]


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ({"labels": 5}, "labels: found 4, expected 5, as the paper prints"),
        ({"unanimous": 0.6}, "unanimous: found 0.5, expected 0.6"),
        ({"annotators": 3}, "annotators: found 2, expected 3"),
    ],
)
def test_counts_other_than_printed_are_refused(printed, message):
    frame = pd.DataFrame(
        [("i", "a", "R", "0"), ("i", "a", "S", "1"), ("j", "b", "R", "1"), ("j", "b", "S", "1")],
        columns=["item", "agent", "annotator", "label"],
    )
    right = {"labels": 4, "responses": 2, "agents": 2, "annotators": 2, "pairwise": 0.5}
    check_counts("dataset", frame, right)
    with pytest.raises(InputError, match=message):
        check_counts("dataset", frame, printed)


def write_other_mslr(folder):
    for name in mslr.FILES.values():
        (folder / name).write_text("ExpID\tReviewID\tA\n")


@pytest.mark.parametrize(
    ("write", "module", "message"),
    [
        (lambda f: write_qags(f, "{"), qags, r"mturk_xsum.jsonl, line 1: expected a JSON object"),
        (
            lambda f: write_qags(f, '{"summary_sentences": [{"responses": [{"response": "x"}]}]}'),
            qags, r"mturk_xsum.jsonl, line 1: expected a JSON object",
        ),
        (
            lambda f: write_convabuse(f, ("A1", "1.0", "X", 0, 0, 0, 0, 0)),
            convabuse, "row 2: found 0 severities",
        ),
        (write_other_mslr, mslr, r"cochrane_A1\.tsv: expected the columns ExpID"),
        (lambda f: write_mt_bench(f, PAIRS[:1] * 2), mt_bench, "rows 2 and 3"),
    ],
)  # fmt: skip
def test_files_of_another_form_are_named(tmp_path, any_counts, write, module, message):
    write(tmp_path)
    with pytest.raises(InputError, match=message):
        module.prepare(tmp_path)


def task_of(metrics, **more):
    return {
        "seed": 1, "paper": "STABLEVAL", "experiment": "e", "dataset": "qags",
        "settings": [{"name": "only", "axes": {}, "parameters": {}}], "replicates": [0],
        "methods": {"MV": {"ties": "first_met"}, "PEC": {"em": "published"}},
        "metrics": metrics, "bootstrap": 20, "level": 0.95, **more,
    }  # fmt: skip


def test_a_dataset_goes_through_the_pipeline_as_it_is(tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        [(f"i{k}_{'ab'[k % 2]}", "ab"[k % 2], f"R{r}", str(rng.integers(2)))
         for k in range(20) for r in range(4)],
        columns=["item", "agent", "annotator", "label"],
    )  # fmt: skip
    metrics = ["score:each", "accuracy:each", "ambiguity:top", "stability", "labels"]
    task = task_of(metrics, subsampling={"draws": 3, "share": 0.5, "legacy_seed": 42})
    simulate_block(task, tmp_path / "data.parquet", {}, frame)
    rows, _ = estimate_block(task, tmp_path / "data.parquet", StanModels(), "1")
    scores = rows[rows["metric"] == "score:each"].set_index(["method", "agent"])["estimate"]
    table = annotations_from_frame(frame)
    expected = fit("PEC", table, rng, {"em": "published"}).labels.probability[:, 1]
    for agent, name in enumerate(table.agent):
        assert scores["PEC", name] == pytest.approx(expected[table.agent_of == agent].mean())
    assert rows["truth"].isna().all()
    per_annotator = rows[(rows["metric"] == "accuracy:each") & (rows["method"] == "PEC")]
    assert per_annotator["annotator"].tolist() == [f"R{r}" for r in range(4)]
    top = rows[(rows["metric"] == "ambiguity:top") & (rows["method"] == "PEC")]
    assert set(top["item"]) <= set(frame["item"])
    assert (rows.loc[rows["metric"] == "labels", "estimate"] == 80).all()
    missing = rows[rows["estimate"].isna()].set_index(["method", "metric"])["note"]
    assert missing["MV", "accuracy:each"] == "it has no confusion matrices"
    assert (rows.loc[rows["estimate"].notna(), "note"] == "").all()


@pytest.mark.parametrize("name", JUDGED)
def test_published_posteriors_come_out(prepared, name):
    table, published = annotations_of(name, prepared(name)[1]), prepared("stableval_published")[1]
    (found,) = posterior_differences({name: table}, published).to_dict("records")
    assert found["responses"] == len(table.item)
    assert found["difference"] < 1e-12


def test_every_cell_of_tables_3_and_19_comes_out(prepared):
    printed = pd.read_csv(PRINTED_FILE, dtype=str)
    of = {number: printed[printed["table"] == number].set_index(["row", "column"])["printed"]
          for number in ("3", "19")}  # fmt: skip

    def check(number, column, method, settings, table):
        found = fit(method, table, np.random.default_rng(0), settings)
        for agent, score in zip(
            table.agent, agent_scores(shares_of(found, table), table), strict=True
        ):
            cell = of[number][agent, column].partition(" ")[0]
            assert cell == f"{score:.3f}", (number, agent, column)

    for mapping in mt_bench.MAPPINGS:
        table = mt_bench.draw_task(prepared("mt_bench")[1], {"mapping": mapping}, None)
        check("3", mapping, "PEC", {"em": "published"}, table)
    table = annotations_of("qags", prepared("qags")[1])
    for method, how in (("MV", {"ties": "first_met"}), ("DS", {"em": "published"}),
                        ("PEC", {"em": "published"})):  # fmt: skip
        check("19", method, method, how, table)

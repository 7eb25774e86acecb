"""One study in any clothing: format, order of rows and columns, encoding, separator, packing, names
and words for an empty cell change no digit of the answer."""

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.reading.study import read_study

N = 60
RNG = np.random.default_rng(11)
TRUTH = RNG.random(N) < 0.4
ITEMS = np.array([f"é {k:02d}, x" for k in range(N)])
SCORE = np.round(RNG.normal(TRUTH * 1.5, 1.0), 2)
VOTES = pd.DataFrame(
    {
        "item": np.repeat(ITEMS, 3),
        "annotator": np.tile(["ann", "bob", "cy"], N),
        "label": (np.repeat(TRUTH, 3) ^ (RNG.random(3 * N) < 0.2)).astype(int).astype(str),
    }
)
GOLD = pd.DataFrame({"item": ITEMS, "gold": np.where(np.arange(N) % 3 == 0, TRUTH.astype(int), -1)})
GOLD["gold"] = GOLD["gold"].astype(str).replace("-1", "")
SCORES = pd.DataFrame({"item": ITEMS, "score_m": SCORE.astype(str)})
TABLES = {"votes": VOTES, "gold": GOLD, "scores": SCORES}
METRICS = ["prevalence", "AUC", "accuracy@1", "TPR_H"]
NAMES = {
    "item": ("item", "item_id", "Task ID", "document"),
    "annotator": ("annotator", "worker", "Rater-ID"),
    "label": ("label", "vote", "verdict"), "gold": ("gold", "gold_label", "expert_label"),
    "score_m": ("score_m", "m_score", "prob_m"),
}  # fmt: skip
HOLES = ("", "NA", "nan", "null")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")


def answer(study):
    rng = np.random.default_rng(1)
    found = evaluate(fit("logistic-R", study.items, rng), study.items, METRICS, rng)
    return [(one.estimate, one.lower, one.upper) for one in found]


def written(folder, name, table, draw):
    """A table in a clothing that is drawn."""
    table = table.rename(columns={one: draw(st.sampled_from(NAMES[one])) for one in table})
    order = np.random.default_rng(draw(st.integers(0, 2**20)))
    table = table.iloc[order.permutation(len(table))][list(order.permutation(table.columns))]
    hole = draw(st.sampled_from(HOLES))
    kind = draw(st.sampled_from(["csv", "tsv", "jsonl", "json", "parquet", "xlsx"]))
    path = folder / f"{name}.{kind.upper() if draw(st.booleans()) else kind}"
    if kind in ("parquet", "xlsx"):
        table = table.replace({"": None})
        table.to_parquet(path) if kind == "parquet" else table.to_excel(
            path.with_suffix(".xlsx"), index=False
        )
        return path.with_suffix(".xlsx") if kind == "xlsx" else path
    table = table.replace({"": hole})
    if kind in ("json", "jsonl"):
        text = table.to_json(
            orient="records", lines=kind == "jsonl", force_ascii=draw(st.booleans())
        )
    else:
        separator = "\t" if kind == "tsv" else draw(st.sampled_from([",", ";", "\t", "|"]))
        text = table.to_csv(index=draw(st.booleans()), sep=separator)
        blank = draw(st.integers(0, 2))
        text = "\n" * blank + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    content = text.encode(draw(st.sampled_from(ENCODINGS)))
    if draw(st.booleans()):
        path, content = path.with_name(f"{path.name}.gz"), gzip.compress(content)
    path.write_bytes(content)
    return path


with tempfile.TemporaryDirectory() as _folder:
    for _name, _table in TABLES.items():
        _table.to_csv(Path(_folder) / f"{_name}.csv", index=False)
    PLAIN = answer(read_study([Path(_folder) / f"{_name}.csv" for _name in TABLES]))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_study_in_any_clothing_has_the_same_answer(data):
    with tempfile.TemporaryDirectory() as name:
        paths = [written(Path(name), one, table, data.draw) for one, table in TABLES.items()]
        paths = data.draw(st.permutations(paths))
        assert answer(read_study(paths)) == PLAIN

"""Is a summary's sentence supported by its article? Three crowd labels each (STABLEVAL, 5.1).

Two systems, one a corpus: CNN and XSUM. Labels: 1 supported, 0 not.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.datasets.dataset import drawn_as_it_is, responses
from crowdgold.types.errors import InputError

OWNER = "dataset qags"
FILES = {"CNN": ("mturk_cnndm.jsonl", "cnn"), "XSUM": ("mturk_xsum.jsonl", "xsum")}
"""Agent -> its file, and what its items' names start with."""
LEVEL = {"yes": "1", "no": "0"}
PRINTED = {
    "labels": 2_859, "responses": 953, "agents": 2, "annotators": 169, "unanimous": 0.656,
    "pairwise": 0.771,
}  # fmt: skip
"""What STABLEVAL's table 18 prints."""

draw_task = drawn_as_it_is(OWNER, ("0", "1"))


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of mturk_cnndm.jsonl and mturk_xsum.jsonl."""
    files = FILES.items()
    rows = [row for agent, (name, start) in files for row in _rows(folder / name, agent, start)]
    columns = ["item", "agent", "annotator", "label"]
    return responses(OWNER, pd.DataFrame(rows, columns=columns), PRINTED)


def _rows(path: Path, agent: str, prefix: str) -> Iterator[tuple[str, str, str, str]]:
    """Item, agent, annotator and label of each judgement in a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            sentences: list[dict[str, Any]] = json.loads(line)["summary_sentences"]
            for place, sentence in enumerate(sentences):
                for judged in sentence["responses"]:
                    item = f"{prefix}_{number}_sent{place}"
                    yield item, agent, f"worker_{judged['worker_id']}", LEVEL[judged["response"]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{OWNER}: {path.name}, line {number}: expected a JSON object with "
                f"summary_sentences, each with responses of yes or no ({error!r})"
            ) from error

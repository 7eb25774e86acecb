"""Nothing is said to be unpublished that a paper's public code says (docs/as-published.md)."""

import re

import pytest

from unit.made_pages import ROOT

UNSAID = re.compile(r"not printed|(?:does|do) not (?:print|say)|nobody published", re.I)
DECIDED = {  # what the published code of each paper decides, by words of its subject
    "clara": r"\bprior|gamma|\bsampler|\bchain|where it starts|confusion matri",
    "stableval": r"\bseed|order of random|matrices of|\bties?\b",
    "label_variation": r"\btied?\b|\bAR\b",
}
ROOMS = ("src/crowdgold/papers/{}/*.*", "workflow/report/{}*.rst", "config/experiments/{}*.yaml",
         "docs/templates/reproduction_{}.md.jinja")  # fmt: skip


def said_to_be_unpublished(paper: str, text: str) -> list[str]:
    """Sentences that call something unpublished which the paper's code decides."""
    sentences = re.split(r"(?<=[.;:])\s", re.sub(r"\s+", " ", text))
    return [
        one
        for one in sentences
        # What is printed nowhere, and then in the code, is told together.
        if UNSAID.search(one) and re.search(DECIDED[paper], one) and "code" not in one
    ]


@pytest.mark.parametrize("paper", DECIDED)
def test_what_published_code_says_is_not_called_unpublished(paper):
    files = [path for room in ROOMS for path in ROOT.glob(room.format(paper))]
    texts = [path for path in files if path.suffix in (".py", ".yaml", ".rst", ".jinja")]
    assert len(texts) > 5
    for path in texts:
        assert said_to_be_unpublished(paper, path.read_text(encoding="utf-8")) == [], path


def test_such_a_sentence_is_found():
    words = "It has two classes. The weight of CLARA's prior is not printed."
    assert said_to_be_unpublished("clara", words) == ["The weight of CLARA's prior is not printed."]
    assert said_to_be_unpublished("clara", "How many auditors there are is not printed.") == []

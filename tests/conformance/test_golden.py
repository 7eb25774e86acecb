"""What a user sees of 216 command lines and of 29 studies is what `tests/golden` holds."""

import json

import pytest

import golden


@pytest.mark.parametrize("part", ["lines", "studies", "pages"])
def test_nothing_has_changed(part):
    before = json.loads((golden.GOLDEN / f"{part}.json").read_text(encoding="utf-8"))
    assert golden.differences(before, golden.PARTS[part]()) == []


def test_a_change_would_be_seen():
    before = {"line": "answer 0.123456789012\nexit 0\n"}
    assert golden.differences(before, {"line": "answer 0.123456789999\nexit 0\n"}) == []
    for now in ("answer 0.123457\nexit 0\n", "answer 0.123456789012\nexit 1\n"):
        assert golden.differences(before, {"line": now})
    assert golden.differences(before, {})

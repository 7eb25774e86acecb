"""What `crowdgold check` recommends next is a command that answers."""

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.checking.gold_sample import GoldSample, Shift
from crowdgold.checking.next_labels import next_labels
from crowdgold.checking.study import OpenStratum
from crowdgold.cli import main
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD
from golden import studies
from unit.made_items import draw_items

STUDIES = dict(studies())
PLAN, SAMPLE, NEITHER = "plan", "sample", ""
RECOMMENDED = {
    "example": PLAN, "plain": PLAN, "20 gold labels": PLAN, "six models": PLAN, "clusters": PLAN,
    "several experts": PLAN, "no gold labels": SAMPLE, "export argilla": SAMPLE,
    "export promptfoo": SAMPLE, "export inspect": NEITHER, "gold of one class": NEITHER,
    "gold in strata": NEITHER,
}  # fmt: skip
"""Study -> which command is recommended; neither where no batch can follow."""


@pytest.mark.parametrize("name", RECOMMENDED)
def test_the_command_that_is_recommended_answers(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files, recommended = STUDIES[name](tmp_path), RECOMMENDED[name]
    main(["check", *files])
    told = " ".join(capsys.readouterr().out.split())
    following = told.rpartition(" next ")[2]
    commands = re.findall(r"crowdgold ((?:evaluate|plan|sample) .+?) (?:gives|says)", following)
    first = next((one for one in commands if one.startswith("evaluate")), "")
    others = [one for one in commands if one != first]
    assert [one.split()[0] for one in others] == [recommended] * bool(recommended)
    main(["check", *files, "--json"])
    found = json.loads(capsys.readouterr().out)["next_labels"]
    assert (not found["no_plan"]) == (recommended == PLAN)
    assert (not found["no_batch"]) == bool(recommended)
    for command in others:
        assert main(shlex.split(command)) == 0
    if first:
        # Gold that looks chosen leaves the answer to models, which are not fitted here.
        ended = main([*shlex.split(first), "--no-models", "--metrics", "prevalence"])
        assert ended == 0 or recommended == SAMPLE or name == "gold of one class"
    if recommended != PLAN:
        capsys.readouterr()
        assert main(["plan", "--more", "--pilot", *files]) == 2
        assert f"Error: --more: {found['no_plan']}\n" in capsys.readouterr().err


ITEMS = draw_items(1, n=300, n_gold=100)
FEW = np.where(np.arange(300) < 19, np.arange(300) % 2, NO_GOLD).astype(np.int8)
CHOSEN = GoldSample(0.0005, (Shift("share of positive votes", 0.9, 0.1, 9.0),))
OPEN = OpenStratum("of gold stratum 1", 0.8, 1, 5, "have an expert label 4 more of these items")
DRAWN = GoldDraw(np.where(ITEMS.gold == NO_GOLD, np.nan, 0.4))
KINDS = {
    "enough": (ITEMS, {}, "", ""),
    "few labels": (replace(ITEMS, gold=FEW), {}, "19 gold labels, 9 positive and 10 neg", ""),
    "one class": (
        replace(ITEMS, gold=np.where(ITEMS.gold == 1, 0, ITEMS.gold).astype(np.int8)), {},
        "100 gold labels, 0 positive and 100 neg.* `crowdgold sample FILES --n 100 --out", "",
    ),
    "surely chosen": (ITEMS, {"sample": CHOSEN}, "Set these labels", "Set these labels"),
    "possibly chosen": (ITEMS, {"sample": replace(CHOSEN, p=0.005)}, "", ""),
    "drawn one by one": (replace(ITEMS, draw=DRAWN), {}, "gold_probability", "gold_probability"),
    "estimated chances": (
        replace(ITEMS, draw=replace(DRAWN, estimated=True)), {}, "estimated", "estimated",
    ),
    "one cluster": (
        replace(ITEMS, cluster=np.where(ITEMS.gold == NO_GOLD, "a", "b").astype(object)), {},
        "of one cluster", "",
    ),
    "an open stratum": (ITEMS, {"open_strata": (OPEN,)}, "of gold stratum 1", ""),
    "a batch begun": (ITEMS, {"passed_over": 3}, "", "but begun"),
    "24 left": (
        ITEMS.take(np.argsort(ITEMS.gold == NO_GOLD, kind="stable")[:124]), {},
        "found 24 items without a gold label, expected 25", "",
    ),
    "one left": (
        ITEMS.take(np.argsort(ITEMS.gold == NO_GOLD, kind="stable")[:101]), {},
        "found 1 item without a gold label, expected 25", "found 1 item .* expected 2 or more",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_why_more_labels_cannot_be_planned_and_what_to_do(kind):
    items, known, no_plan, no_batch = KINDS[kind]
    found = next_labels(items, **known)
    assert bool(found.no_plan) == bool(no_plan)
    assert bool(found.no_batch) == bool(no_batch)
    assert re.search(no_plan, found.no_plan)
    assert re.search(no_batch, found.no_batch)

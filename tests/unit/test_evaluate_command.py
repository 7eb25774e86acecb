"""`crowdgold evaluate`: what it writes beside the numbers, and names that it cannot take."""

from pathlib import Path

import pandas as pd

import crowdgold
from crowdgold.commands import main

EXAMPLE = Path(crowdgold.__file__).parent / "example"
ASKED = ["--methods", "GT", "--metrics", "prevalence", "--cores", "1"]


def files(folder):
    return [str(folder / f"{name}.csv") for name in ("votes", "gold", "scores")]


def test_the_report_is_written_where_it_is_asked_for(tmp_path, capsys):
    assert main(["evaluate", *files(EXAMPLE), "--out", str(tmp_path / "mine"), *ASKED,
                 "--report"]) == 0  # fmt: skip
    said = capsys.readouterr().err
    for name in ("report.html", "figures.pdf"):
        assert (tmp_path / "mine" / name).is_file()
        assert name in said


def test_a_model_is_not_called_humans(tmp_path, capsys):
    votes, gold, scores = files(EXAMPLE)
    named = pd.read_csv(scores).rename(columns={"score_large": "score_humans"})
    named.to_csv(tmp_path / "scores.csv", index=False)
    own = [votes, gold, str(tmp_path / "scores.csv"), "--out", str(tmp_path / "mine"), *ASKED]
    assert main(["evaluate", *own]) == 2
    assert "model 'humans': in comparisons this name stands for the voters" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "mine").exists()


def test_a_study_in_which_scores_are_missing_is_evaluated(tmp_path, capsys):
    """A third of the items have no score of one model, which is said."""
    votes, gold, scores = files(EXAMPLE)
    frame = pd.read_csv(scores)
    frame.loc[frame.index[::3], "score_large"] = None
    frame.to_csv(tmp_path / "scores.csv", index=False)
    own = [votes, gold, str(tmp_path / "scores.csv"), "--out", str(tmp_path / "mine")]
    assert main(["evaluate", *own, *ASKED[:3], "prevalence", "AUC", *ASKED[4:]]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "1,000 items of 3,000 with votes but without a score of large" in said
    table = pd.read_csv(tmp_path / "mine" / "estimates.csv")
    assert table["estimate"].notna().all()
    assert {"prevalence", "AUC", "delta_AUC"} <= set(table["metric"])

"""The posterior predictive checks of a study's report: the votes by gold class, and the wins."""

from collections.abc import Iterator

import pandas as pd

from crowdgold.own.report.doubts import count_misses, misses_of
from crowdgold.own.report.folder import StudyFolder, records_of
from crowdgold.own.report.inline_figures import StudyFigure
from crowdgold.own.report.user_names import drawn_names
from crowdgold.own.report.votes_figure import draw_study_votes, draw_study_wins
from crowdgold.own.report.words import percent

VOTES, WINS = "votes", "wins"
CLASSES = (("negative", 0, "Gold negatives"), ("positive", 1, "Gold positives"),
           ("unlabelled", None, "Items without a gold label"))  # fmt: skip
MOST_MODELS = 12


def _observed_votes(items: pd.DataFrame) -> pd.DataFrame:
    """Count votes by gold class, where there is no fit to hold them against."""
    parts = []
    for _, value, _ in CLASSES:
        own = items[items["gold"].isna() if value is None else items["gold"] == value]
        counted = own.groupby(["votes_total", "votes_positive"]).size().rename("observed")
        table = counted.reset_index()
        table["items"] = table.groupby("votes_total")["observed"].transform("sum")
        parts.append(table.assign(gold=value))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(expected=float("nan"), lower=float("nan"), upper=float("nan"))


def votes_of(study: StudyFolder) -> tuple[pd.DataFrame, str]:
    """The votes by gold class, and whose fit they are held against; "" where no one's."""
    rows = study.of_all("predictive")
    rows = rows[rows["check"] == VOTES]
    if rows.empty:
        return _observed_votes(study.items), ""
    first = rows.iloc[0]
    own = rows[(rows["model"] == first["model"]) & (rows["method"] == first["method"])]
    return own, str(first["method"])


def _described(rows: pd.DataFrame) -> str:
    texts = []
    for row in records_of(rows):
        text = f"{row['votes_positive']:.0f} of {row['votes_total']:.0f}: {row['observed']:.0f}"
        if pd.notna(row["expected"]):
            text += f" items, expected {row['lower']:.0f} to {row['upper']:.0f}"
        texts.append(text)
    return "; ".join(texts) + "."


def vote_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw how many items of each gold class have how many positive votes."""
    table, method = votes_of(study)
    for name, value, title in CLASSES:
        rows = table[table["gold"].isna() if value is None else table["gold"] == value]
        if rows.empty:
            continue
        figure, drawn = draw_study_votes(rows, {})
        caption = "Bars: items observed."
        if method:
            caption = f"Bars: observed; points: drawn from {method}'s fit, {percent(study.level)} "
            caption += "intervals; red: observed outside."
        left = rows["votes_total"].nunique() - drawn["votes_total"].nunique()
        caption += f" {left} less frequent numbers of votes in predictive.csv." if left else ""
        description = f"{title} by their positive votes. {_described(drawn)}"
        yield StudyFigure(f"votes-{name}", title, caption, description, figure)


def win_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw for each model how often items of one vote set are ranked above those of another."""
    rows, names = study.of_all("predictive"), drawn_names(study.models)
    rows = rows[rows["check"] == WINS]
    for number, model in enumerate(list(dict.fromkeys(rows["model"]))[:MOST_MODELS], start=1):
        own = rows[rows["model"] == model]
        own = own[own["method"] == own["method"].iloc[0]]
        method = own["method"].iloc[0]
        figure, drawn = draw_study_wins(own, {})
        outside, _ = count_misses(drawn, study.level)
        title = f"Wins by {names.get(model, model)}"
        yield StudyFigure(
            f"wins-{number}", title,
            "A point is a pair of vote sets (gold label, votes): how often the model ranks an item "
            f"of the one above one of the other, observed and drawn from {method}'s fit, with "
            f"{percent(study.level)} intervals.",
            f"{title}: {outside} of {len(drawn)} pairs of vote sets are outside their interval.",
            figure,
        )  # fmt: skip


def predictive_words(study: StudyFolder) -> list[str]:
    """Say how many observations are outside what was drawn."""
    names = {VOTES: "counts of votes by gold class", WINS: "shares of wins"}
    words = []
    for one in misses_of(study):
        whose = f"{one.method} with {one.model}" if len(study.models) > 1 else one.method
        says = "more than a model that is right would miss" if one.many else "as chance allows"
        words.append(
            f"{whose}: {one.outside} of {one.checked} {names.get(one.check, one.check)} lie "
            f"outside the {percent(study.level)} interval; {says}."
        )
    return words

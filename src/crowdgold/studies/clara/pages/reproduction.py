"""The page that holds the figures of the CLARA paper against ours."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.verdicts import Claim, claim_rows
from crowdgold.studies.clara.pages import day_claims as days
from crowdgold.studies.clara.pages import policy_claims as policies
from crowdgold.studies.clara.pages import prevalence_claims as prevalence
from crowdgold.studies.clara.pages import reviewer_claims as reviewers

FIGURE_7 = ("clara_fig7_a", "clara_fig7_b")
WITH_SCORES = (
    ("clara_fig11", "scores as log-ratios of the score vector"),
    ("clara_fig11_given", "scores as given, the printed model"),
)


def _figure_2(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of figure 2: error, length and coverage against the prevalence."""
    level, least = float(printed["level"]), float(printed["accurate_from"])

    def claim(text: str, judge: prevalence.Judge, table: str = "clara_fig2") -> Claim:
        return Claim("Fig. 2", text, (table,), judge)

    covered = f"CLARA's {level:.0%} intervals are accurate from a prevalence of {least:g} on"
    return (
        claim(
            "CLARA's error is below the majority vote's in most settings",
            prevalence.smaller_error_mostly("clara_fig2", prevalence.GRID, "CLARA", "MV"),
        ),
        claim(
            "CLARA's bias is consistently small, but for a prevalence close to 0",
            prevalence.bias_is_small("clara_fig2", "CLARA"),
        ),
        claim(
            "the size of the majority vote's bias has a U-shape at the lower TPR",
            prevalence.bias_is_u_shaped("clara_fig2", "MV"),
        ),
        claim(
            "the majority vote's intervals are shorter than CLARA's",
            prevalence.narrower("clara_fig2", prevalence.GRID, "MV", "CLARA"),
        ),
        claim(
            "CLARA's intervals are wider at the lower TPR",
            prevalence.wider_at_lower_tpr("clara_fig2", "CLARA"),
        ),
        claim(
            "the majority vote's coverage is close to zero where the prevalence is small",
            prevalence.coverage_near_zero("clara_fig2", "MV"),
        ),
        claim(
            f"{covered}: as published",
            prevalence.coverage_is_nominal("clara_fig2", "CLARA-printed", level, least),
            "clara_fig2",
        ),
        claim(
            f"{covered}: the posterior's own",
            prevalence.coverage_is_nominal("clara_fig2", "CLARA", level, least),
            "clara_fig2",
        ),
    )


def _figures_3_and_4(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of figures 3 and 4: reviewers' quality, without audits and with them."""
    around, at, many = printed["around"], printed["at_100"], printed["many"]
    three, four = ("clara_fig3",), ("clara_fig4",)
    return (
        Claim(
            "Fig. 3",
            f"with around {around['items']} items of a class a reviewer, TPR and TNR are recovered "
            f"with an error below {around['error']:.1%}",
            three,
            reviewers.recovered_below("clara_fig3", printed, around),
        ),
        Claim(
            "Fig. 3",
            f"... around {at['TPR']:.1%} for TPR and {at['TNR']:.1%} for TNR at prevalence "
            f"{at['prevalence']:g}",
            three,
            reviewers.recovered_as_printed("clara_fig3", printed),
        ),
        Claim(
            "Fig. 3",
            f"... below {many['error']:.1%} with over {many['items']:,} items of a class",
            three,
            reviewers.recovered_below("clara_fig3", printed, many),
        ),
        Claim(
            "Fig. 3",
            "the errors of TPR and TNR fall with the items that a reviewer labelled",
            three,
            reviewers.errors_fall_with_items("clara_fig3", printed),
        ),
        Claim(
            "Fig. 4",
            "CLARA consistently outperforms the majority vote of the auditors",
            four,
            reviewers.audits_better_than_majority("clara_fig4"),
        ),
        Claim(
            "Fig. 4",
            "... specifically where the auditors' precision is low",
            four,
            reviewers.gains_are_largest_with_bad_auditors("clara_fig4"),
        ),
    )


def _figure_5(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of figure 5: labelling policies in a simulation."""
    name, unused, rounding = "clara_fig5", float(printed["unused"]), float(printed["rounding"])
    left = float(printed["unused_by_tie_breaking"])

    def claim(text: str, judge: prevalence.Judge) -> Claim:
        return Claim("Fig. 5", text, (name,), judge)

    return (
        claim(
            f"CLARA recovers the true label with {printed['accuracy']:.0%} accuracy where "
            f"{unused:.0%} of the labels are not used",
            policies.accurate_at(name, 1 - unused, float(printed["accuracy"]), rounding),
        ),
        claim(
            "CLARA significantly outperforms the random stratified policy",
            policies.more_accurate_than_random(name),
        ),
        claim(
            "CLARA estimates the prevalence well whatever the share of labels",
            policies.prevalence_whatever_the_share(name),
        ),
        claim(
            "the random policy's prevalence is biased, the more so with fewer labels",
            policies.random_is_biased(name),
        ),
        claim(
            f"tie-breaking leaves about {left:.0%} of the labels unused",
            policies.labels_left_by_tie_breaking(
                name, left, float(printed["unused_by_tie_breaking_rounding"])
            ),
        ),
    )


def _stand_ins(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of figures 7, 8 and 9, on simulated stand-ins."""
    day = int(printed["figure_7"]["changes_from_day"])
    first, second = FIGURE_7
    nine = printed["figure_9"]
    saved, loss = float(nine["saved"]), float(nine["loss"])
    return (
        Claim(
            "Fig. 7a, stand-in",
            "majority vote and CLARA align for metric A",
            (first,),
            days.prevalences_agree(first),
        ),
        Claim(
            "Fig. 7b, stand-in",
            f"they diverge for metric B from day {day} on",
            (second,),
            days.prevalences_diverge(second, day),
        ),
        Claim(
            "Fig. 7, stand-in",
            "CLARA's intervals are longer than the majority vote's for both",
            FIGURE_7,
            days.intervals_longer_than_majority(FIGURE_7),
        ),
        Claim(
            "Section 5.2.4, stand-in",
            f"CLARA finds the cause for metric B: TPR falls from day {day} on, TNR does not move",
            (second,),
            days.cause_is_found(second, day),
        ),
        Claim(
            "Fig. 8, stand-in",
            "CLARA's errors of precision and recall are close to zero, the majority vote's "
            "significantly higher",
            ("clara_fig8",),
            reviewers.daily_audits_better("clara_fig8"),
        ),
        Claim(
            "Fig. 9, stand-in",
            f"{saved:.0%} of the labels are saved with about {loss:.0%} loss of accuracy",
            ("clara_fig9",),
            policies.saves_with_little_loss("clara_fig9", saved, loss, float(nine["rounding"])),
        ),
    )


def _figures_11_and_12(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of figures 11 and 12: prevalence with scores, and by Snorkel."""
    level, least = float(printed["level"]), float(printed["accurate_from"])
    claims = []
    for name, how in WITH_SCORES:
        reduce = prevalence.scores_reduce
        claims += [
            Claim(f"Fig. 11, {how}", "scores reduce the error", (name,), reduce(name, "error")),
            Claim(f"Fig. 11, {how}", "... and the intervals", (name,), reduce(name, "width")),
            Claim(
                f"Fig. 11, {how}",
                "... without loss of coverage",
                (name,),
                prevalence.scores_keep_coverage(name, level, least),
            ),
        ]
    snorkel = Claim(
        "Fig. 12",
        "Snorkel does not estimate the prevalence well compared to CLARA",
        ("clara_fig12",),
        prevalence.smaller_error_mostly("clara_fig12", prevalence.GRID, "CLARA", "Snorkel"),
    )
    return (*claims, snorkel)


def clara_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims in the order of the paper's figures.

    Args:
        printed: what the paper prints (config/printed/clara.yaml).
    """
    return (
        *_figure_2(printed["figure_2"]),
        *_figures_3_and_4(printed["figure_3"]),
        *_figure_5(printed["figure_5"]),
        *_stand_ins(printed),
        *_figures_11_and_12(printed["figure_2"]),
    )


def clara_page(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        tables: results tables (of replicates) by the name of their experiment.
        printed: what the paper prints (config/printed/clara.yaml).
    """
    sizes = ", ".join(
        f"{name} {table['replicate'].nunique()}" for name, table in sorted(tables.items())
    )
    rows = claim_rows(clara_claims(printed), tables)
    header = ["where", "printed", "ours", "verdict", "reason"]
    return "\n".join(
        [
            "# CLARA: the paper's results and ours\n",
            "Made from the results by `make docs`. The paper's figures carry few numbers, so that "
            "its sentences about them are judged: a difference counts, for or against, where it is "
            f"clear by two standard errors over our replicates ({sizes or 'none'}; the paper: "
            f"{printed['simulations']['datasets']}). Of one replicate the error is that over its "
            "reviewers or days. The data of figures 7, 8 and 9 are private; ours are simulated "
            "stand-ins built from what the paper prints of them, so that a verdict there says that "
            "the method can do what is claimed, not that it did.\n",
            markdown_table(header, rows) + "\n",
        ]
    )

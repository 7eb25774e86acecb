"""Write the example study that comes with crowdgold, byte for byte: `make_example.py [FOLDER]`."""

import sys
from pathlib import Path

from crowdgold.reading.outputs import write_text
from crowdgold.simulate.examples import EXAMPLE as PARAMETERS
from crowdgold.simulate.examples import EXAMPLE_ANNOTATORS as ANNOTATORS
from crowdgold.simulate.examples import MIDDLE, SLOPE, draw_example
from crowdgold.types.parameters import SEED

FOLDER = Path(__file__).parents[1] / "src/crowdgold/example"
ABOUT = """\
# An example study

Simulated; not about anything. `make example` evaluates it and writes a report:

    crowdgold evaluate votes.csv gold.csv scores.csv --out mine
    crowdgold report mine

| file | columns |
|---|---|
| votes.csv | item, annotator, label: {votes:,} votes on {n:,} items by {annotators} annotators |
| gold.csv | item, gold: an expert's label of {n_gold:,} items drawn at random |
| scores.csv | item, score_large, score_small: scores of two models |
| truth.csv | item, truth: the true label of every item; no method sees it |

Drawn by MAVEN's generative process (Algorithm 1) with the seed {seed}, which is the project's own
and was not searched for. An item is positive with probability phi = {phi}. Its chance P of a
positive vote is Beta(a d, (1 - a) d) with a = {a1}, d = {d1} for positive items and a = {a0},
d = {d0} for negative ones; votes are independent given P, so that some items are harder than
others while all annotators are alike. A score is Normal(mu Y + delta P, 1), with (mu, delta) =
({large[mu]}, {large[delta]}) for large and ({small[mu]}, {small[delta]}) for small,
put between 0 and 1 by 1 / (1 + exp(-{slope} (x - {middle}))).

The gold items look like a random sample (p = 0.31; p = 0.95 without the scores). Those of the first
version, drawn at random too, had by chance fewer votes than the others (p = 0.011), as the gold of
one study in a hundred has. They were therefore drawn once more, with other random numbers.

Made by `scripts/make_example.py`; a test holds these files to it.
"""


def main(folder: Path) -> None:
    """Write the tables and their description into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = draw_example()
    for name, table in tables.items():
        write_text(table.to_csv(index=False, lineterminator="\n"), folder / f"{name}.csv")
    numbers = PARAMETERS | PARAMETERS["predictors"] | {"votes": len(tables["votes"])}
    constants = {"annotators": ANNOTATORS, "seed": SEED, "slope": SLOPE, "middle": MIDDLE}
    write_text(ABOUT.format(**numbers, **constants), folder / "README.md")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

"""The labelling model: its file and every damage to it; probabilities against Bayes' rule."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.labelling import (
    LabellingModel,
    LabelStream,
    asks_for_another,
    from_content,
    labelling_model,
    probabilities_so_far,
    read_labelling_model,
    to_json,
    write_labelling_model,
)
from crowdgold.models.clara.model import empirical_prior
from crowdgold.types.errors import InputError
from unit.labelled_by_three import annotated, three_reviewers, true_model

CATEGORIES = ("a", "b", "c")


def random_model(rng, confusion="annotator", names=("R1", "R2", "R3"), categories=CATEGORIES):
    """Rates that no two entries of are alike; the fallback is one of them."""
    K = len(categories)
    known = () if confusion == "shared" else names
    return LabellingModel(
        np.array(categories, dtype=object), rng.dirichlet(np.ones(K)), confusion,
        np.array(known, dtype=object), rng.dirichlet(np.ones(K), (len(known) + 1, K)),
        {"from": "labels.csv", "seed": 3, "diagnostics_passed": True, "note": 'a "quoted" ü'},
    )  # fmt: skip


def random_labels(rng, size=40, annotators=("R1", "R2", "R3", "R4")):
    """One to four labels an item, by different annotators; R4 is unknown to the models."""
    rows = []
    for item in range(size):
        who = rng.permutation(annotators)[: rng.integers(1, len(annotators) + 1)]
        rows += [(f"i{item}", name, rng.choice(CATEGORIES), f"g{item % 2}") for name in who]
    return pd.DataFrame(rows, columns=["item", "annotator", "label", "group"])


def by_bayes(model, rows):
    """P(y = k) after the labels in `rows`, as a sum over the joint distribution, in fractions."""
    joint = [Fraction(one) for one in model.prevalence]
    for row in rows.itertuples():
        name = {"annotator": row.annotator, "group": row.group, "shared": ""}[model.confusion]
        place = list(model.name).index(name) if name in model.name else -1
        rates = model.matrix[place, :, list(model.category).index(row.label)]
        joint = [one * Fraction(rate) for one, rate in zip(joint, rates, strict=True)]
    return np.array([float(one / sum(joint)) for one in joint])


@pytest.mark.parametrize(
    ("confusion", "names"), [("annotator", ("R1", "R2", "R3")), ("group", ("g1",)), ("shared", ())]
)
def test_table_and_stream_say_what_bayes_rule_says(confusion, names):
    """After each label of 40 items in turns, to 1e-12; not with the annotators shifted."""
    rng = np.random.default_rng(1)
    model, frame = random_model(rng, confusion, names), random_labels(rng)
    annotations, by_item = annotated(frame, CATEGORIES), frame.groupby("item", sort=False)
    found = probabilities_so_far(model, annotations)
    expected = np.array(
        [by_bayes(model, rows[: last + 1]) for _, rows in by_item for last in range(len(rows))]
    )
    np.testing.assert_allclose(found.probability, expected, rtol=1e-12)
    np.testing.assert_allclose(found.confidence, expected.max(axis=1), rtol=1e-12)
    mixed = frame.assign(turn=by_item.cumcount()).sort_values("turn", kind="stable")
    stream, seen = LabelStream(model), []
    for row in mixed.itertuples():
        so_far = stream.add(row.item, row.annotator, row.label, row.group)
        at = found.start[list(annotations.item).index(row.item)] + row.turn
        assert so_far.labels == row.turn + 1
        assert so_far.label == CATEGORIES[found.probability[at].argmax()]
        assert so_far.confidence == pytest.approx(found.confidence[at], rel=1e-12)
        seen.append(at)
    assert sorted(seen) == list(range(len(frame)))
    if confusion != "shared":
        column = frame[confusion]
        assert stream.unknown == column[~column.isin(names)].value_counts().to_dict()
    if confusion == "annotator":
        model.matrix[:] = np.roll(model.matrix, 1, axis=0)
        assert np.abs(probabilities_so_far(model, annotations).probability - expected).max() > 0.1


def test_hundreds_of_labels_do_not_underflow():
    stream = LabelStream(random_model(np.random.default_rng(3), "shared"))
    for annotator in range(2000):
        found = stream.add("one", f"R{annotator}", CATEGORIES[annotator % 2])
    assert 1 / 3 <= found.confidence <= 1


@pytest.mark.parametrize(("rule", "kept"), [("first", "a"), ("last", "c")])
def test_a_repeated_label_follows_the_rule(rule, kept):
    model = random_model(np.random.default_rng(4))
    stream, plain = LabelStream(model, rule), LabelStream(model)
    for name, label in (("R1", "a"), ("R2", "b"), ("R1", "c")):
        found = stream.add("one", name, label)
    plain.add("one", "R1", kept)
    assert found == plain.add("one", "R2", "b")
    with pytest.raises(InputError, match="found 'R1' on item 'one' again"):
        plain.add("one", "R1", "c")
    assert plain.add("two", "R1", "c").labels == 1


def test_what_a_model_cannot_use_is_refused_and_leaves_a_stream_as_it_was():
    rng = np.random.default_rng(5)
    model = random_model(rng)
    stream = LabelStream(model)
    with pytest.raises(InputError, match="column 'label': found 'd', expected one of a, b, c"):
        stream.add("one", "R9", "d")
    assert stream.unknown == {}
    assert stream.add("one", "R1", "a").labels == 1
    with pytest.raises(InputError, match="no rule 'frist'; did you mean 'first'"):
        LabelStream(model, "frist")
    with pytest.raises(InputError, match="categories c, b, a; expected the model's, a, b, c"):
        probabilities_so_far(model, annotated(random_labels(rng), ("c", "b", "a")))


@pytest.mark.parametrize(
    ("given", "asked"),
    [((0.9, 1), True), ((0.95, 1), False), ((0.9, 2, 3), True), ((0.9, 3, 3), False)],
)
def test_when_another_label_is_asked_for(given, asked):
    confidence, labels, *most = given
    assert asks_for_another(confidence, labels, 0.95, *most) is asked


def fitted(confusion, rng):
    frame = three_reviewers(300, rng).assign(group="crowd")
    annotations = annotated(frame)
    settings = ClaraSettings(confusion, chains=2, warmup=100, draws=100, lag=1)
    fit = sample_clara(annotations, empirical_prior(annotations), settings, rng)
    return fit, annotations


@pytest.mark.parametrize("confusion", ["annotator", "group", "shared"])
def test_a_model_is_the_mean_of_a_fit(confusion):
    """The fallback weighs each annotator by the labels on likely items of the true label."""
    fit, annotations = fitted(confusion, np.random.default_rng(7))
    model = labelling_model(fit, annotations, confusion)
    psi = fit.psi.mean(axis=(0, 1), dtype=float)
    np.testing.assert_allclose(model.prevalence, fit.theta.mean(axis=(0, 1)))
    np.testing.assert_allclose(model.matrix.sum(axis=-1), 1, rtol=1e-12)
    expected = psi[0]
    if confusion == "annotator":
        np.testing.assert_allclose(model.matrix[:-1], psi, rtol=1e-6)
        weight = np.zeros((3, 2))
        np.add.at(weight, annotations.annotator_of, fit.probability[annotations.item_of])
        expected = [np.average(psi[:, k], axis=0, weights=weight[:, k]) for k in (0, 1)]
    else:
        assert model.name.tolist() == (["crowd"] if confusion == "group" else [])
    np.testing.assert_allclose(model.fallback, expected, rtol=1e-6)


def test_groups_without_names_and_unknown_sharings_are_refused():
    fit, annotations = fitted("annotator", np.random.default_rng(8))
    nameless = annotated(annotations.to_frame().drop(columns="group"))
    with pytest.raises(InputError, match="the table needs a column 'group'"):
        labelling_model(fit, nameless, "group")
    with pytest.raises(InputError, match="no confusion 'annotators'; did you mean 'annotator'"):
        labelling_model(fit, annotations, "annotators")


@pytest.mark.parametrize("confusion", ["annotator", "group", "shared"])
def test_a_file_gives_back_what_was_written(tmp_path, confusion):
    model = random_model(np.random.default_rng(9), confusion, ("R 1", "R,2", "Ü"))
    path = tmp_path / "model.json"
    write_labelling_model(model, path)
    found = read_labelling_model(path)
    for name in ("category", "prevalence", "name", "matrix"):
        np.testing.assert_array_equal(getattr(found, name), getattr(model, name))
    assert (found.confusion, found.made) == (model.confusion, model.made)
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
    assert to_json(found) == path.read_text()


def test_a_file_is_readable_without_the_library(tmp_path):
    """By its own last sentences, with nothing but JSON: the probability after two labels."""
    path = tmp_path / "model.json"
    write_labelling_model(true_model(), path)
    content = json.loads(path.read_text())
    assert content["about"][3].startswith("P(true label k | the labels of an item)")
    weight = list(content["prevalence"])
    for name, label in (("R3", "1"), ("nobody", "0")):
        matrix = content["matrices"].get(name, content["fallback"])
        place = content["categories"].index(label)
        weight = [w * row[place] for w, row in zip(weight, matrix, strict=True)]
    # 0.1 x 0.9 x 0.25 against 0.9 x 0.1 x 0.75.
    assert weight[1] / sum(weight) == pytest.approx(0.25)


GOOD = [[0.9, 0.1], [0.2, 0.8]]


def damaged(**changes):
    """The content of a model's file with such keys; `...` takes a key away."""
    content = json.loads(to_json(true_model())) | changes
    return {key: value for key, value in content.items() if value is not ...}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "a picture"}, r"'format': found 'a picture', expected 'crowdgold labelling"),
        ({"format": ...}, r"'format': found nothing"),
        ({"version": 2}, r"'version': found 2, expected 1; fit the model anew"),
        ({"prevalence": ...}, r"key 'prevalence': missing"),
        ({"prevalance": 1}, r"no key 'prevalance'; did you mean 'prevalence'"),
        ({"categories": ["0"]}, r"'categories': found \['0'\], expected a list of two or more"),
        ({"categories": ["0", "0"]}, r"'categories': found .* different"),
        ({"categories": ["0", "1 "]}, r"without white space"),
        ({"categories": "01"}, r"'categories': found '01'"),
        ({"prevalence": [0.9, 0.2]}, r"'prevalence': found a sum of 1.1, expected 1; divide"),
        ({"prevalence": [1, 0]}, r"'prevalence': found 0, expected probabilities above 0"),
        ({"prevalence": [1.0]}, r"'prevalence': found \[1.0\], expected 2 numbers"),
        ({"prevalence": [float("nan"), 1]}, r"'prevalence': found \[nan, 1\], expected 2 numbers"),
        ({"prevalence": [True, 0.1]}, r"expected 2 numbers"),
        ({"confusion": "annotators"}, r"'confusion': found 'annotators', expected one of ann"),
        ({"confusion": "shared"}, r"'matrices': found 3 of them, expected none, as `confusion`"),
        ({"matrices": {}}, r"'matrices': found 0 of them, expected at least one"),
        ({"matrices": [GOOD]}, r"'matrices': found \[\[\[0.9.*expected names: matrices"),
        ({"matrices": {" R1": GOOD}}, r"found the name ' R1', expected one without white space"),
        ({"matrices": {"R1": GOOD[:1]}}, r"'matrices', 'R1': found .*, expected a row for each"),
        ({"matrices": {"R1": [[0.9, 0.1], [0.2, 0.7]]}}, r"'R1', row of '1': found a sum of 0.9"),
        ({"fallback": "none"}, r"'fallback': found 'none', expected a row for each category"),
        ({"made": "by hand"}, r"'made': found 'by hand', expected keys: values"),
        ({"matrices": {f"R{i}": [[1]] for i in range(300)}, "prevalence": [0.2, 0.2]},
         r"and 293 more"),
    ],
)  # fmt: skip
def test_damage_is_named_with_its_key_and_mend(changes, said):
    """Several faults are listed, but not hundreds."""
    with pytest.raises(InputError, match=rf"(?s)^mine\.json.*{said}") as error:
        from_content(damaged(**changes), "mine.json")
    assert "crowdgold" in str(error.value)
    assert len(str(error.value).splitlines()) <= 11


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe{", "not UTF-8"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"format": 1, "format": 2}', "key 'format' stands there twice"),
        (b"[1, 2]", r"'format': found \[1, 2\]"),
        (to_json(true_model()).encode()[:-300], "is not JSON"),
        (to_json(true_model()).replace("0.6", "9" * 400).encode(), r"found \[inf, .*expected 2"),
    ],
)  # fmt: skip
def test_files_that_are_no_models_are_refused(tmp_path, text, said):
    path = tmp_path / "model.json"
    path.write_bytes(text)
    with pytest.raises(InputError, match=said):
        read_labelling_model(path)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: no such file; `crowdgold fit-labelling`"):
        read_labelling_model(tmp_path / "none.json")
    with pytest.raises(InputError, match="is a folder; expected a file"):
        read_labelling_model(tmp_path)
    with pytest.raises(InputError, match="is a folder; expected the name of a file"):
        write_labelling_model(true_model(), tmp_path)
    with pytest.raises(InputError, match=r"model\.json cannot be written: No such file"):
        write_labelling_model(true_model(), tmp_path / "no" / "model.json")

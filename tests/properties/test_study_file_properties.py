"""A study file with something wrong in it ends in options or in one line that names it."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdgold.cli import parser
from crowdgold.cli.study_file import parse
from crowdgold.types.errors import InputError

GOOD = """\
files: [votes.csv, gold.csv]
columns: {worker: annotator, "votes.csv:say": label}
positive: [yes, R]
thresholds: {large: [0.7, 0.8], small: 0.5}
level: 0.9
seed: 7
report: no
out: ../mine
"""
PIECES = st.one_of(
    st.sampled_from(
        ["", " ", "\n", ":", "- ", "[", "]", "{", "}", "&a ", "*a", "!!python/object:os.system ",
         "'", '"', "|", ">", "#", "\t", "\x00", "nan", "1e999", "files: x\n", "? ", "<<: *a", "---",
         "%", "\ufeff", "..."]
    ),
    st.text(max_size=4),
)  # fmt: skip


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 5), PIECES), max_size=3))
def test_changed_study_files_end_in_options_or_a_message(tmp_path, changes):
    text = GOOD
    for place, size, piece in changes:
        text = text[:place] + piece + text[place + size :]
    path = tmp_path / "study.yaml"
    path.write_bytes(text.encode("utf-8", "replace"))
    try:
        asked, message = parse(parser(), ["evaluate", str(path)]), ""
    except InputError as error:
        asked, message = None, str(error)
    if asked is None:
        assert str(path) in message
        assert "\n" not in message
        return
    assert all(isinstance(one, Path) for one in asked.files)
    assert isinstance(asked.level, float)
    assert isinstance(asked.seed, int)
    assert all(isinstance(one, str) for one in [*asked.positive, *asked.threshold])

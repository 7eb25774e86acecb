"""One fact, one place: a method's name stands in its file, and in the one order of methods."""

import ast
import io
import re
import tokenize

from crowdgold.methods.registry import METHODS
from crowdgold.record.imports import package_root

from .conftest import ROOT

FREE = (
    # Methods' own files, and the order of figures and answers.
    "src/crowdgold/methods/",
    # Claims of papers are about methods: what claims.yaml, which is configuration, cannot say.
    "src/crowdgold/papers/clara/claims.py",
    "src/crowdgold/papers/stableval/pages.py",
    # The cells of MAVEN's table 3, a line for each method.
    "src/crowdgold/papers/maven/pages.py",
    # Benchmarks time the methods that they name, and are as free as tests.
    "workflow/rules/benchmarks.smk",
    # Training methods of the HLV paper, which has one that is called MV too.
    *(
        f"src/crowdgold/papers/label_variation/{name}.py"
        for name in ("experiments", "judgements", "ranks")
    ),
)
"""Where names may stand."""
WORDS = {"judges"}
"""Names of methods that are words too, of columns and of what is shown: they prove nothing."""


def names_in_rules(code):
    """As `literal_names`, of a rule file, which is Python but for the headings of rules."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    texts = [one for one in tokens if one.type == tokenize.STRING and one.string[0] in "'\""]
    found = [(one.start[0], ast.literal_eval(one.string)) for one in texts]
    return [one for one in found if one[1] in METHODS.keys() - WORDS]


def literal_names(code):
    """Lines of code in which a string is the name of a method, and the name."""
    return [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and node.value in METHODS.keys() - WORDS
    ]


SEARCHES = {".py": literal_names, ".smk": names_in_rules}


def test_no_method_is_named_outside_its_file():
    """Code asks the registry for a role, or a method's file for the method."""
    found = {
        name: names
        for folder in ("src", "scripts", "workflow")
        for path in sorted((ROOT / folder).rglob("*"))
        if (search := SEARCHES.get(path.suffix))
        and not (name := path.relative_to(ROOT).as_posix()).startswith(FREE)
        and (names := search(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_the_searches_for_names_find_them_and_pass_over_prose():
    for code in ("x = ('GT', 2)", "f(method='MAVEN-C')", "{'DS': 1}['DS']"):
        assert literal_names(code), code
    assert literal_names("'''MAVEN and GT are compared.'''") == []
    rule = "rule one:\n    params: methods=['MAVEN', 'of MAVEN']\n"
    assert names_in_rules(rule) == [(2, "MAVEN")]


def test_each_name_stands_in_one_file_of_methods_beside_the_order():
    """As that of a `Method`; a fit does not need to know what it is called.

    What a method says that it is a variant of is another's name.
    """

    texts = {}
    for path in sorted((package_root() / "methods").glob("*.py")):
        if path.name != "method.py":
            code = re.sub(r'variant_of="[^"]+",', "", path.read_text(encoding="utf-8"))
            texts[path.name] = {found for _, found in literal_names(code)}
    for name in METHODS.keys() - WORDS:
        assert len(files := [file for file, own in texts.items() if name in own]) == 1, (
            name,
            files,
        )

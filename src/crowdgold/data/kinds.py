"""The kinds of table, by the names that registries and messages have for them."""

from crowdgold.data.annotations import Annotations
from crowdgold.data.items import Items

ITEMS, ANNOTATIONS = "items", "annotations"

Table = Items | Annotations
"""What methods fit: a generator or a dataset gives one or the other."""


def kind_of(table: Table) -> str:
    """Name the kind of a table: "items" or "annotations"."""
    return ANNOTATIONS if isinstance(table, Annotations) else ITEMS

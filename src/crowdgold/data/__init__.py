"""The tables that everything passes: reading, checking, and errors that say how to mend them."""

from crowdgold.data.annotations import Annotations, annotations_from_frame, read_annotations
from crowdgold.data.checks import InputError
from crowdgold.data.items import NO_GOLD, Items, items_from_frame, read_items, write_items

__all__ = [
    "NO_GOLD",
    "Annotations",
    "InputError",
    "Items",
    "annotations_from_frame",
    "items_from_frame",
    "read_annotations",
    "read_items",
    "write_items",
]

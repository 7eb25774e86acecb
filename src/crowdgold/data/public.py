"""The names of `crowdgold.data`, which hands them on when the first of them is asked for."""

from crowdgold.data.annotations import Annotations, annotations_from_frame, read_annotations
from crowdgold.data.gold_draw import GoldDraw
from crowdgold.data.item_columns import NO_GOLD
from crowdgold.data.items import (
    NO_PREDICTOR,
    Items,
    items_from_frame,
    read_items,
    write_items,
)
from crowdgold.data.kinds import ANNOTATIONS, ITEMS, Table, kind_of

__all__ = [
    "ANNOTATIONS",
    "ITEMS",
    "NO_GOLD",
    "NO_PREDICTOR",
    "Annotations",
    "GoldDraw",
    "Items",
    "Table",
    "annotations_from_frame",
    "items_from_frame",
    "kind_of",
    "read_annotations",
    "read_items",
    "write_items",
]

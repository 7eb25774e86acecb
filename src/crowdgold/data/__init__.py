"""The tables that everything passes: reading, checking, and errors that say how to mend them."""

from crowdgold.data.checks import InputError
from crowdgold.data.items import NO_GOLD, Items, items_from_frame, read_items, write_items

__all__ = ["NO_GOLD", "InputError", "Items", "items_from_frame", "read_items", "write_items"]

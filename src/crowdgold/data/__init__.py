"""The tables that everything passes: reading, checking, and errors that say how to mend them."""

from typing import TYPE_CHECKING, Any

from crowdgold.data.errors import InputError as InputError

if TYPE_CHECKING:
    from crowdgold.data.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A name of `public`, loaded when it is asked for: pandas takes half a second."""
    import crowdgold.data.public as public

    return getattr(public, name)

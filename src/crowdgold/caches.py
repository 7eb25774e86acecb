"""Where what can be had again is kept: public datasets, compiled models, a CmdStan home."""

from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """The folder of this program in the user's cache; it need not be there."""
    return platformdirs.user_cache_path("crowdgold", appauthor=False)

"""The folders of files that are not Python (Stan models and such), and of the user's cache."""

from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parents[1]


def package_folder() -> Path:
    """The folder of the installed package."""
    return _PACKAGE


def asset_folder(name: str) -> Path:
    """The folder of the assets called `name`, such as "stan".

    An installed wheel carries them in `crowdgold/assets/NAME`; in a checkout they stand at the
    root of the repository.
    """
    places = (_PACKAGE / "assets" / name, _PACKAGE.parents[1] / name)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(str(place) for place in places)
    raise FileNotFoundError(
        f"no folder {name!r} of crowdgold's assets: looked at {looked}; reinstall crowdgold"
    )


def cache_folder() -> Path:
    """The folder of this program in the user's cache; it need not be there."""
    return platformdirs.user_cache_path("crowdgold", appauthor=False)

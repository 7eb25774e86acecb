"""What was found: one CmdStan home, the way to it, and the versions that made a result."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.versions import (
    cmdstan_version,
    compiler_version,
    stan_version,
    stanc_version,
)

WAYS = ("environment", "conda", "home folder", "installed", "assembled")


@dataclass(frozen=True)
class Toolchain:
    """A CmdStan home that was seen to work, and how it was come by (one of `WAYS`)."""

    home: Path
    way: str
    cmdstan_version: str
    stanc: str
    stan: str
    compiler: str

    @classmethod
    def of(cls, home: Path, way: str) -> "Toolchain":
        """Look at a home.

        Raises:
            ToolchainError: it is not usable; the message says why.
        """
        home = home.resolve()
        return cls(
            home=home,
            way=way,
            cmdstan_version=cmdstan_version(home),
            stanc=stanc_version(home),
            stan=stan_version(home),
            compiler=compiler_version(),
        )

    def to_json(self) -> str:
        """Write the fields as a JSON object."""
        return json.dumps(asdict(self) | {"home": str(self.home)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, path: Path) -> "Toolchain":
        """Read what `to_json` wrote into a file.

        Raises:
            ToolchainError: the file is missing, malformed, or names a home that is gone.
        """
        mend = "run `python -m crowdgold.toolchain find --json` again"
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            found = cls(**{f.name: str(content[f.name]) for f in fields(cls)})  # type: ignore[arg-type]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ToolchainError(
                f"{path} is not a record of a toolchain ({error}); {mend}"
            ) from error
        home = Path(found.home)
        if not (home / "makefile").is_file():
            raise ToolchainError(f"{path} names the CmdStan home {home}, which is gone; {mend}")
        return cls(**(asdict(found) | {"home": home}))

    def describe(self) -> str:
        """Say in one sentence what was found."""
        return (
            f"CmdStan {self.cmdstan_version} at {self.home} ({self.way}; Stan {self.stan}, "
            f"{self.stanc}, {self.compiler})"
        )

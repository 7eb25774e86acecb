"""Operating systems on which commands run: Linux; perhaps another Unix; not Windows."""

WINDOWS = "win32"
NAMES = {"darwin": "macOS", WINDOWS: "Windows"}


def refusal(system: str) -> str:
    """Why commands do not run on a system, as of `sys.platform`; empty where they do."""
    if system != WINDOWS:
        return ""
    return (
        "Error: crowdgold runs on Linux, and not on Windows itself; use WSL, the Windows Subsystem "
        "for Linux (`wsl --install`), and install crowdgold there"
    )


def remark(system: str) -> str:
    """What to expect of a system on which commands may run; empty on Linux."""
    if system.startswith("linux"):
        return ""
    return (
        f"Note: crowdgold is tested on Linux; on {NAMES.get(system, system)} it may work, but it "
        "cannot assemble CmdStan there: set $CMDSTAN to a CmdStan of your own, or use --no-models"
    )

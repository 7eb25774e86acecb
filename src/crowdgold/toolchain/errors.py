"""The error of this package."""


class ToolchainError(RuntimeError):
    """No usable CmdStan home, or a model that does not compile.

    The message names what was found, what was expected and how to mend it.
    """

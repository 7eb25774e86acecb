"""The one kind of error that is a user's to mend."""


class InputError(ValueError):
    """Input that cannot be used; the message says where, what was found and how to mend it."""

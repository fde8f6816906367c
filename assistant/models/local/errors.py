"""Errors of models on this machine and of their download."""

from assistant.errors import ModelError


class PackageMissing(ModelError):
    code = "local.package_missing"


class NoSuchModel(ModelError):
    code = "local.no_such_model"


class FileGone(ModelError):
    code = "local.file_gone"


class FileDamaged(ModelError):
    code = "local.file_damaged"


class OutOfMemory(ModelError):
    code = "local.out_of_memory"


class HubError(ModelError):
    """A failed download of a model."""


def gigabytes(number: int) -> str:
    """Format a number of bytes as GB or MB."""
    return f"{number / 1e9:.1f} GB" if number >= 1e8 else f"{number / 1e6:.1f} MB"

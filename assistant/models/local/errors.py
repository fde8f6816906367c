"""Errors of models on this machine and of their download."""

from assistant.errors import ModelError


class PackageMissing(ModelError):
    code = "local.package_missing"


class NoSuchModel(ModelError):
    def __init__(self, name: str) -> None:
        super().__init__("local.no_such_model", name=name)


class FileGone(ModelError):
    def __init__(self, file: str) -> None:
        super().__init__("local.file_gone", file=file)


class FileDamaged(ModelError):
    def __init__(self, file: str) -> None:
        super().__init__("local.file_damaged", file=file)


class OutOfMemory(ModelError):
    def __init__(self, name: str, needed: int, free: int) -> None:
        super().__init__("local.out_of_memory", name=name, needed=gigabytes(needed), free=gigabytes(free))


class HubError(ModelError):
    """A model was not downloaded."""


def gigabytes(number: int) -> str:
    """Return a number of bytes for people."""
    return f"{number / 1e9:.1f} GB" if number >= 1e8 else f"{number / 1e6:.1f} MB"

"""Two users who sign in with passwords, whose hashes cost little time."""

from ui.server.entrance.passwords import Costs, Hash

PEOPLE = {"ann": "correct horse battery", "bob": "another long password"}


def with_passwords() -> dict[str, str]:
    """Return the settings by which they sign in."""
    return {"NOTED_AUTH": " ".join(Hash.of(password, Costs(10, 8, 1)).line(name) for name, password in PEOPLE.items())}

"""Two users who sign in with passwords, whose hashes cost little time."""

from ui.server.sign_in import password_line

PEOPLE = {"ann": "correct horse battery", "bob": "another long password"}


def with_passwords() -> dict[str, str]:
    """Return the settings by which they sign in."""
    return {"NOTED_AUTH": " ".join(password_line(name, password, (10, 8, 1)) for name, password in PEOPLE.items())}

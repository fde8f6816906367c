"""Settings: arguments before environment before defaults, and the source of each."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import SettingsError
from assistant.settings import Settings, clean_address, clean_key


def test_arguments_precede_environment_and_defaults(tmp_path: Path) -> None:
    settings = Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_PORT": "8000", "NOTED_MODEL": "openai/x"}, port=9000)
    assert (settings.home, settings.port, settings.model, settings.host) == (tmp_path, 9000, "openai/x", "127.0.0.1")
    assert settings.sources["port"] == "argument"
    assert settings.sources["model"] == "NOTED_MODEL"
    assert settings.sources["host"] == "default"
    assert settings.ledger == f"sqlite:///{tmp_path / 'ledger.sqlite3'}"


@pytest.mark.parametrize("variable", ["NOTED_PORT", "GRADIO_SERVER_PORT"])
@pytest.mark.parametrize("value", ["many", "0", "65536"])
def test_wrong_number_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"{variable} must be"):
        Settings.load({variable: value})


@pytest.mark.parametrize("value", ["/a b", "/..", "/a//b", "/%2e"])
def test_wrong_root_path_is_refused(value: str) -> None:
    assert Settings.load({"NOTED_ROOT_PATH": "https://x.test/noted/"}).root_path == "/noted"
    with pytest.raises(SettingsError, match="NOTED_ROOT_PATH must be a path such as /noted"):
        Settings.load({"NOTED_ROOT_PATH": value})


def test_host_who_relied_on_a_read_only_memory_is_told() -> None:
    assert Settings.load({"NOTED_READ_ONLY": "off"})
    with pytest.raises(SettingsError, match="NOTED_READ_ONLY is gone"):
        Settings.load({"NOTED_READ_ONLY": "on"})


def test_key_is_not_shown() -> None:
    assert "very-secret" not in repr(Settings.load({"NOTED_API_KEY": "very-secret"}))


def test_space_is_public_and_its_memory_temporary() -> None:
    settings = Settings.load({"SPACE_ID": "me/noted"})
    assert settings.host == "0.0.0.0"  # noqa: S104
    assert settings.memory_is_temporary
    assert settings.visitor_hours == 24
    assert not Settings.load({"SPACE_ID": "me/noted", "NOTED_HOME": "/data/noted"}).memory_is_temporary


KEY = "sk-abc_DEF-123"


@pytest.mark.parametrize(
    "pasted",
    [
        f"“{KEY}”", f'"{KEY}"', f"`{KEY}`", f" {KEY}\n", f"\u200b{KEY}\ufeff", f"“Bearer {KEY}”",
        f"Authorization: Bearer {KEY}", f'export ANTHROPIC_API_KEY="{KEY}"', f"{KEY[:5]}\r\n{KEY[5:]}", f"{KEY},",
    ],
)  # fmt: skip
def test_key_is_cleaned(pasted: str) -> None:
    assert Settings.load({"NOTED_API_KEY": pasted}).api_key == KEY
    assert clean_key(clean_key(pasted)) == KEY


def test_address_is_cleaned() -> None:
    assert Settings.load({"NOTED_API_BASE": "localhost:11434"}).api_base == "http://localhost:11434"
    assert clean_address("[::1]:8080/v1") == "http://[::1]:8080/v1"
    assert clean_address("api.example.com:8443") == "https://api.example.com:8443"
    assert clean_address(" HTTP:/127.0.0.1 :8000/v1//\u200b ") == "http://127.0.0.1:8000/v1"
    assert clean_address("http://127.0.0.1:8000/v1/Chat/Completions/") == "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    "value", ["file:///etc/passwd", "http://", "http://a:port/v1", "“”", "http://me@host/", "http://[x"]
)
def test_bad_address_is_refused_by_name(value: str) -> None:
    with pytest.raises(SettingsError, match="NOTED_API_BASE must be the address of a server"):
        Settings.load({"NOTED_API_BASE": value})


@given(st.text())
def test_any_text_can_be_cleaned(text: str) -> None:
    assert clean_key(clean_key(text)) is not None
    assert clean_address(text) is None or clean_address(text).startswith("http")  # type: ignore[union-attr]

"""The composed page: its routes and files."""

import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

from assistant.events import Phase
from assistant.settings import Settings
from tests.support.servers.noted_server import SERVE
from ui.page.page import PageApp
from ui.serve import address
from ui.words.texts import languages, texts

ROOT = Path(__file__).parents[3]
UI = ROOT / "ui"


def test_each_event_of_the_page_is_sent_by_a_script(built_page: PageApp) -> None:
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in UI.rglob("*.js"))
    quoted = set(re.findall(r"[\"'`](\w+)[\"'`]", scripts))
    assert {event for _, event in built_page.names} - quoted == set()


@pytest.mark.parametrize(("environment", "expected"), [
    ({}, ("127.0.0.1", None)),
    ({"GRADIO_SERVER_NAME": "0.0.0.0", "GRADIO_SERVER_PORT": ""}, ("0.0.0.0", None)),  # noqa: S104
    ({"GRADIO_SERVER_PORT": "8000"}, ("127.0.0.1", 8000)),
    ({"NOTED_HOST": "::1", "GRADIO_SERVER_NAME": "0.0.0.0", "NOTED_PORT": "8000"}, ("[::1]", 8000)),  # noqa: S104
    ({"NOTED_HOST": "[::]"}, ("[::]", None)),
])  # fmt: skip
def test_gradios_variables_count_where_no_setting_does(
    environment: dict[str, str], expected: tuple[str, int | None], tmp_path: Path
) -> None:
    assert address(Settings.load(environment, home=tmp_path)) == expected


@pytest.mark.promise("taken-ports")
def test_taken_port_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environment = os.environ | {"NOTED_HOME": str(tmp_path), "GRADIO_SERVER_PORT": str(port)}
        ended = subprocess.run(SERVE, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert f"cannot be served on port {port} of 127.0.0.1" in ended.stderr


def test_every_text_that_a_script_names_is_there_and_every_text_is_named() -> None:
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in UI.rglob("*.js"))
    python = "\n".join(path.read_text(encoding="utf-8") for path in UI.rglob("*.py"))
    templates = "\n".join(path.read_text(encoding="utf-8") for path in UI.rglob("*.html"))
    named = set(re.findall(r"\bwords\.(\w+)", scripts)) | set(re.findall(r"words\[\"(\w+)\"\]", python))
    counted = re.findall(r"howMany\(\"(\w+)\"", scripts)
    named |= {f"{name}_{form}" for name in counted for form in ("one", "other")}
    readers = re.findall(r"createReader\(\"(\w+)\"", scripts)
    named |= {f"{reader}_{key}" for reader in readers for key in re.findall(r"\bword\(\"(\w+)\"\)", scripts)}
    named |= set(re.findall(r"data-words=\"(\w+)\"", templates))
    assert named <= set(texts())
    by_value = {*Phase} | {name for name in texts() if f'"{name}"' in python or f"'{name}'" in python}
    put_together = (*re.findall(r"`(\w+_)\$\{", scripts), *re.findall(r"f\"(\w+_)\{", python))
    assert [name for name in set(texts()) - named - by_value if not name.startswith(put_together)] == []


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_text(language: str) -> None:
    assert set(texts(language)) == set(texts())
    assert all(isinstance(text, str) and text for text in texts(language).values())
    placeholders = {name: set(re.findall(r"\{\w+\}", text)) for name, text in texts().items()}
    assert {name: set(re.findall(r"\{\w+\}", text)) for name, text in texts(language).items()} == placeholders


@pytest.mark.parametrize("language", languages())
def test_a_text_stands_in_one_part_only(language: str) -> None:
    parts = [json.loads(part.read_text(encoding="utf-8")) for part in (UI / "words/strings" / language).glob("*.json")]
    assert sum(map(len, parts)) == len(texts(language))

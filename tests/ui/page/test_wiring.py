"""The composed page: its routes and files."""

import json
import re
from pathlib import Path

import pytest

from assistant.events import Phase
from assistant.settings import Settings
from ui.page.page import PageApp
from ui.serve import address
from ui.words.texts import languages, texts

ROOT = Path(__file__).parents[3]
UI = ROOT / "ui"


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


def test_scripts_name_every_text_and_event(built_page: PageApp) -> None:
    scripts, python, templates = (
        "\n".join(path.read_text(encoding="utf-8") for path in UI.rglob(f"*.{kind}")) for kind in ("js", "py", "html")
    )
    assert {event for _, event in built_page.names} - set(re.findall(r"[\"'`](\w+)[\"'`]", scripts)) == set()
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
def test_every_language_has_every_text_once(language: str) -> None:
    assert set(texts(language)) == set(texts())
    for name, text in texts(language).items():
        assert text
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", texts()[name])), name
    parts = [json.loads(part.read_text(encoding="utf-8")) for part in (UI / "words/strings" / language).glob("*.json")]
    assert sum(map(len, parts)) == len(texts(language))

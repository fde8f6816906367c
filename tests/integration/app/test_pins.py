"""Installed versions are the tested ones: pins have hashes, and images exact versions."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from assistant.settings import SPACE_MODEL
from tests.support.servers.noted_server import ROOT
from tools.build_space import main as build_space

pytestmark = pytest.mark.promise("installed-as-tested")

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
# PostgreSQL versions have two parts, all others three.
EXACT = re.compile(r"@sha256:[0-9a-f]{64}$|(:v?\d+\.\d+\.\d+|^postgres:\d+\.\d+)(-[a-z]+(\.\d+)?)*$")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def read(text: str) -> dict[str, list[str]]:
    """Return the words after each requirement of a file, by requirement."""
    lines = text.replace("\\\n", " ").splitlines()
    return {words[0]: words[1:] for line in lines if (words := line.split("#")[0].split())}


def without_hash(required: dict[str, list[str]]) -> list[str]:
    return [name for name, told in required.items() if not told or not all(map(HASH.fullmatch, told))]


def test_pins_have_the_hashes_of_their_files() -> None:
    required = read((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    tested = {pin.lower().replace("_", "-") for pin in read((ROOT / "constraints.txt").read_text(encoding="utf-8"))}
    assert {*required} <= tested
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = map(Requirement, [*project["dependencies"], *extras["postgres"], *extras["s3"]])
    assert {canonicalize_name(one.name) for one in needed} <= {pin.partition("==")[0] for pin in required}
    assert without_hash(required) == []
    hashes = [told for words in required.values() for told in words]
    assert len(set(hashes)) == len(hashes)


def test_container_installs_nothing_without_hash() -> None:
    installs = re.findall(r"pip install [^&\n]*", DOCKERFILE)
    assert len(installs) == 2
    assert all("--require-hashes -r " in command for command in installs)
    (weights,) = re.findall(r'echo "([^"]*)" > (?=/tmp/weights\.txt)', DOCKERFILE)
    assert without_hash(read(weights)) == []


def test_images_have_exact_versions() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    images = [service["image"] for service in services if "image" in service]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(images) == 3
    assert [image for image in images if not EXACT.search(image)] == []


def test_space_gets_the_pins_and_its_model(tmp_path: Path) -> None:
    build_space(tmp_path / "space")
    _, front, _ = (tmp_path / "space" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    repo, _, file = SPACE_MODEL.rpartition("/")
    assert f"{repo} {file}" in yaml.safe_load(front)["preload_from_hub"]
    required = read((tmp_path / "space" / "requirements.txt").read_text(encoding="utf-8"))
    pins = {*read((ROOT / "requirements.txt").read_text(encoding="utf-8"))}
    assert {pin.partition("==")[0] for pin in {*required} - pins} == {"xllamacpp"}
    assert {*required} > pins
    assert not any(required.values())

import json
from pathlib import Path

import pytest

from memory_store.embedding.embedder import (
    BUNDLED,
    NONE,
    EmbedderUnavailable,
    SentenceEmbedder,
    choose_embedder,
)


def local_model(folder: Path, dimension: int = 8) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    modules = [{"path": "", "type": "Transformer"}, {"path": "1_Pooling", "type": "Pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 99}))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": dimension}))
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def in_cache(home: Path, name: str, dimension: int = 12) -> None:
    folder = home / f"models--{name.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc123")
    local_model(folder / "snapshots" / "abc123", dimension)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def test_bundled_english_model_is_the_default(cache: Path) -> None:
    in_cache(cache, "intfloat/multilingual-e5-small")
    choice = choose_embedder()
    assert (choice.name, choice.dimension) == (BUNDLED, 384)
    assert "English" in str(choice.why)
    choice = choose_embedder("intfloat/multilingual-e5-small")
    assert (choice.name, choice.dimension, choice.prompt) == ("intfloat/multilingual-e5-small", 12, "query: ")


def test_the_model_of_the_settings_comes_before_all_others(cache: Path, tmp_path: Path) -> None:
    in_cache(cache, "intfloat/multilingual-e5-small")
    own = local_model(tmp_path / "own")
    assert choose_embedder(str(own)).path == own
    assert choose_embedder(BUNDLED).name == BUNDLED


@pytest.mark.parametrize("name", ["a/missing", "no such name!!", "../../etc", "a/b/c/d", "~nosuch/x", "\0", "x" * 5000])
def test_a_model_that_is_not_there_is_said_and_replaced(cache: Path, name: str) -> None:
    choice = choose_embedder(name)
    assert choice.name == BUNDLED
    assert f"{name} is not on this machine" in str(choice.why)


SAID = {  # what its files say of itself: file, content, and what comes before each text
    "prompts": ("config_sentence_transformers.json", '{"prompts": {"query": "ask: ", "document": "doc: "}}', "ask: "),
    "default": (
        "config_sentence_transformers.json",
        '{"prompts": {"query": "", "sts": "like: "}, "default_prompt_name": "sts"}',
        "like: ",
    ),
    "nothing": ("README.md", "# A model", ""),
}


@pytest.mark.parametrize(("file", "content", "prompt"), SAID.values(), ids=SAID)
def test_what_comes_before_a_text_is_as_the_files_of_the_model_say(
    tmp_path: Path, file: str, content: str, prompt: str
) -> None:
    own = local_model(tmp_path / "own")
    before = choose_embedder(str(own)).fingerprint
    (own / file).write_text(content)
    choice = choose_embedder(str(own))
    assert choice.prompt == prompt
    assert (choice.fingerprint == before) == (not prompt)


def test_a_copy_of_e5_in_a_folder_is_used_as_it_is_by_name(tmp_path: Path) -> None:
    assert choose_embedder(str(local_model(tmp_path / "multilingual-e5-small"))).prompt == "query: "
    assert choose_embedder(str(local_model(tmp_path / "e5-small-of-mine"))).prompt == ""


DAMAGED = {
    "modules.json": ["{", "[]", "{}", "7", "[1]", '[{"path": 5}]', '[{"name": "x"}]'],
    "config_sentence_transformers.json": ["[7]", '{"prompts": [5]}'],
    "config.json": ["[]", '{"hidden_size": "wide"}', "\x00"],
}


@pytest.mark.parametrize(("file", "content"), [(file, content) for file, some in DAMAGED.items() for content in some])
def test_a_model_with_damaged_files_is_said_and_replaced(cache: Path, tmp_path: Path, file: str, content: str) -> None:
    broken = local_model(tmp_path / "broken")
    (broken / file).write_text(content)
    choice = choose_embedder(str(broken))
    assert choice.name == BUNDLED
    assert f"{broken} is not on this machine, or its files are damaged" in str(choice.why)


def test_none_means_spelling_only() -> None:
    choice = choose_embedder(NONE)
    assert (choice.name, choice.dimension, choice.path) == (NONE, 0, None)
    with pytest.raises(EmbedderUnavailable):
        SentenceEmbedder(choice).encode(["x"])


def test_the_fingerprint_changes_with_the_model_and_its_files(cache: Path, tmp_path: Path) -> None:
    first, second = local_model(tmp_path / "first"), local_model(tmp_path / "second", dimension=9)
    before = choose_embedder(str(first)).fingerprint
    assert choose_embedder(str(first)).fingerprint == before
    assert len({before, choose_embedder(str(second)).fingerprint, choose_embedder(BUNDLED).fingerprint}) == 3
    (first / "model.safetensors").write_bytes(b"other weights")
    assert choose_embedder(str(first)).fingerprint != before


def test_what_is_named_by_a_provider_or_has_an_address_is_behind_an_api() -> None:
    named = choose_embedder("openai/text-embedding-3-small")
    addressed = choose_embedder("openai/text-embedding-3-small", "http://127.0.0.1:1/v1")
    own = choose_embedder("of-our-own", "http://127.0.0.1:1/v1")
    assert [choice.is_remote for choice in (named, addressed, own, choose_embedder(BUNDLED))] == [True] * 3 + [False]
    assert len({choice.fingerprint for choice in (named, addressed, own)}) == 3
    assert named.why.code == "embedder.api"

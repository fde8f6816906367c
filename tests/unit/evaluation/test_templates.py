"""The benchmark of ways to ask for a word: complete, repeatable, without brackets; and files that cannot be used."""

from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluation.benchmarks.templates import DATA, TYPES, templates, ways
from evaluation.command_line import command_line

FILES = [DATA, *sorted((DATA.parent / "ways").glob("*.toml"))]


def test_each_language_has_five_ways_for_each_type() -> None:
    counted = Counter((way.lang, way.type) for way in ways())
    assert min(counted.values()) >= 5
    assert (len({lang for lang, _ in counted}), {kind for _, kind in counted}) == (3, set(TYPES))


def test_the_same_seed_makes_the_same_benchmark_without_brackets_and_another_one_another() -> None:
    benchmark = templates(seed=3)
    assert benchmark == templates(seed=3) != templates(seed=4)
    assert sum(asked.applies is None for asked in benchmark.questions) * 2 >= len(benchmark.questions)
    texts = [asked.question for asked in benchmark.questions]
    texts += [question for entry in benchmark.entries for question in entry.questions]
    assert not [text for text in texts if set(text) & set('<>"“”«»`')]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_the_repository_makes_a_benchmark(path: Path) -> None:
    benchmark = templates(0, path)
    needing = Counter(asked.applies for asked in benchmark.questions if asked.applies is not None)
    assert set(needing) == {way.id for way in ways(path)}
    assert set(needing.values()) == {8}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ways.en.syn]\n'what {is} like {word} ?' = []", "'is'"),
        ("[ways.en.syn]\n'what } is like {word} ?' = []", "'}'"),
        ("[ways.en.other]\n'what is like {word} ?' = []", "no way to ask"),
        ("[ways.en", "Expected"),
        (f"[words]\nant = {[f'word{at}' for at in range(20)]}\n[ways.en.syn]\n'is {{word}} ?' = []", "'syn'"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "ways.toml"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(command_line(), ["templates", "--ways", str(path)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert str(path) in done.stderr
    assert done.stderr.count("\n") == 1

"""CLINC150 and Hinglish-TOP as benchmarks: who is right for what, sampling, and files that are missing or others."""

import json
from pathlib import Path

import pytest

from evaluation.benchmarks.clinc150 import clinc150, read_clinc150
from evaluation.benchmarks.hinglish_top import Request, intents, read_hinglish_top, translations
from evaluation.reading import BadInput

CLINC = {
    "train": [[f"train {intent} {number}", intent] for intent in ("a_b", "c", "d", "e") for number in range(6)],
    "val": [[f"val {intent} {number}", intent] for intent in ("a_b", "c", "d", "e") for number in range(2)],
    "oos_train": [["must not be asked", "oos"]],
    "oos_val": [["out 3", "oos"], ["out 4", "oos"]],
    "test": [["must not be read", "c"]],
}
HEADER = "en_query\tcs_query\ten_parse\tcs_parse\tdomain"


def requests(*intents: str) -> list[Request]:
    return [
        Request(f"english {name} {at}", f"mixed {name} {at}", name, f"{name} {at}")
        for name in intents
        for at in range(6)
    ]


def hinglish(folder: Path, *rows: str, header: str = HEADER) -> Path:
    """The files of Hinglish-TOP, both with these rows."""
    for name in ("train.tsv", "validation.tsv"):
        (folder / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def clinc(tmp_path: Path) -> Path:
    (tmp_path / "dev.json").write_text(json.dumps(CLINC), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("stored", [1, 5])
def test_an_entry_per_intent(clinc: Path, stored: int) -> None:
    benchmark = clinc150(read_clinc150(clinc), stored, seed=1)
    assert {entry.id for entry in benchmark.entries} == {"a_b", "c", "d", "e"}
    for entry in benchmark.entries:
        assert len(set(entry.questions)) == stored
        assert all(question.startswith(f"train {entry.id} ") for question in entry.questions)
    for asked in benchmark.questions:
        assert asked.question.startswith("out" if asked.applies is None else f"val {asked.applies} ")
        assert asked.is_unrelated == (asked.applies is None)
    assert len(benchmark.questions) == 8 + 2


def test_the_seed_says_which_and_no_more_than_there_are(clinc: Path) -> None:
    splits = read_clinc150(clinc)
    assert clinc150(splits, 2, seed=1) == clinc150(splits, 2, seed=1)
    assert len({clinc150(splits, 2, seed).entries for seed in range(20)}) > 1
    with pytest.raises(BadInput, match="has 6 questions, fewer than the 7"):
        clinc150(splits, 7, seed=1)
    some = clinc150(splits, 2, seed=1)
    assert {one.applies for one in some.questions if one.applies} == {entry.id for entry in some.entries}


def test_a_clinc_file_that_is_missing_or_another_is_said_with_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no file data_full.json or dev.json.*clinc/oos-eval"):
        read_clinc150(tmp_path)
    for text in ("", "[]", "{}", '{"train": [1]}', json.dumps({**CLINC, "val": []}), "[" * 100_000):
        (tmp_path / "data_full.json").write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match="clinc/oos-eval"):
            read_clinc150(tmp_path)


def test_hinglish_top_is_read_without_what_is_there_twice(tmp_path: Path) -> None:
    rows = [
        'Set "it"\tLagao "it"\t[IN:SET_IT Set [IN:GET x ] ]\t-\talarm',
        "Set two\tdo lagao\t[IN:SET_IT Set ]\t-\talarm",
        "Set two\tdo lagaao\t[IN:SET_IT Set ]\t-\talarm",
        "Put two\tdo lagao\t[IN:SET_IT Set ]\t-\talarm",
    ]
    train, validation = read_hinglish_top(hinglish(tmp_path, *rows))
    assert train == validation
    assert train == [
        Request('Set "it"', 'Lagao "it"', "SET_IT", "[in:set_it [in:get ] ]"),
        Request("Set two", "do lagao", "SET_IT", "[in:set_it ]"),
    ]


def test_what_a_request_says_are_its_labels_and_slots(tmp_path: Path) -> None:
    parses = [
        "[IN:SET_ALARM set [SL:DATE_TIME for 7 am ] ]",
        "[IN:SET_ALARM please wake me [SL:DATE_TIME For 7 am ] . ]",
        "[IN:SET_ALARM set [SL:DATE_TIME for 8 am ] ]",
        "[IN:STOP_ALARM set [SL:DATE_TIME for 7 am ] ]",
        "[IN:SET_ALARM set [SL:NAME [IN:GET a [SL:DATE_TIME for 7 am ] ] ] ]",
        "[IN:SET_ALARM set [SL:NAME [IN:GET the [SL:DATE_TIME for 7 am ] ] ] ]",
    ]
    rows = [f"en {at}\tmixed {at}\t{parse}\t-\talarm" for at, parse in enumerate(parses)]
    _, validation = read_hinglish_top(hinglish(tmp_path, *rows))
    said = [request.says for request in validation]
    assert [said.index(one) for one in said] == [0, 0, 2, 3, 4, 4]
    asked = translations(validation, 2, "en", "hinglish", seed=1).questions
    assert {one.question for one in asked} == {"mixed 0", "mixed 2", "mixed 3", "mixed 4"}
    with pytest.raises(BadInput, match="has 4 different requests, fewer than two times 3"):
        translations(validation, 3, "en", "hinglish", seed=1)


def test_a_hinglish_file_that_is_missing_or_another_is_said_with_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no file train.tsv and no validation.tsv.*Hinglish-TOP-Dataset"):
        read_hinglish_top(tmp_path)
    with pytest.raises(BadInput, match=r"has no columns en_query"):
        read_hinglish_top(hinglish(tmp_path, header="question"))
    with pytest.raises(BadInput, match=r"train.tsv, line 2"):
        read_hinglish_top(hinglish(tmp_path, "Set\t\t[IN:A ]\t-\tb"))


def test_each_translation_is_right_for_its_own_request() -> None:
    benchmark = translations(requests("A", "B"), 5, "en", "hinglish", seed=1)
    stored = {entry.id: entry.questions[0] for entry in benchmark.entries}
    asked = {one.question.replace("mixed", "english"): one.applies for one in benchmark.questions}
    assert (len(stored), len(asked)) == (5, 10)
    assert {applies: question for question, applies in asked.items() if applies is not None} == stored
    assert {one.lang for one in benchmark.questions} == {"hinglish"}
    with pytest.raises(BadInput, match="fewer than two times 7"):
        translations(requests("A", "B"), 7, "en", "hinglish", seed=1)


def test_some_intents_have_no_entry() -> None:
    names = [f"I{number}" for number in range(10)]
    data = requests(*names, "UNSUPPORTED_X")
    benchmark = intents(data, data, "hinglish", "en", seed=1)
    known = {entry.id for entry in benchmark.entries}
    assert len(known) == 8
    assert known <= set(names)
    for entry in benchmark.entries:
        assert {text.rpartition(" ")[0] for text in entry.questions} == {f"mixed {entry.id}"}
        assert len(set(entry.questions)) == 5
    for asked in benchmark.questions:
        assert asked.applies == next((name for name in known if f" {name} " in asked.question), None)
    with pytest.raises(BadInput, match="no intent with 5"):
        intents(data[:3], data, "en", "hinglish", seed=1)

"""Questions that are written and chosen: BLEU and ROUGE against hand-computed numbers, and what each way chooses."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from assistant.papers.selection.study import Study
from assistant.prompt.prompt import PromptBuilder
from evaluation.selection.generated import Drawn, drawn, table
from evaluation.selection.metrics import bleu_4, rouge_l
from evaluation.selection.questions import Asked
from evaluation.streams.step_log import StepLog
from memory_store.language.languages import LANGUAGES
from tests.support.memory.loop import PROMPTS
from tests.support.servers.scripted import ScriptedModel

with_metrics = pytest.mark.skipif(find_spec("rouge_score") is None, reason="needs the group experiments")
ASKED = [
    Asked(story="s", sections=("1",), text=text, question=question, answers=(answer,))
    for text, question, answer in (
        ("The king lost the ring.", "Who lost the ring?", "the king"),
        ("Dana found it.", "Who found it?", "Dana"),
    )
]
SAMPLES = [
    Drawn(("Who kept a cat?", "Who lost the ring?"), {"round_trip": (0.0, 1.0), "aps": (1.0, 0.0)}),
    Drawn((), {}),
]


@with_metrics
def test_bleu_and_rouge_by_hand() -> None:
    written, reference = "Where did the king of the land live?", "Where did the king live?"
    assert bleu_4([written], [reference]) == pytest.approx((5 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25)
    shorter = 2.718281828 ** (1 - 8 / 5)  # the penalty for a short one
    assert bleu_4([reference], [written]) == pytest.approx(shorter * (5 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    assert bleu_4(["Who found a ring?"], ["Who lost the cat?"]) == pytest.approx(0, abs=1e-9)
    assert bleu_4([""], ["Who?"]) == 0.0
    assert rouge_l("who found the ring", "Who lost the old ring?") == pytest.approx(
        2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5)
    )
    assert rouge_l("", "Who?") == 0.0


@with_metrics
def test_what_each_way_chooses() -> None:
    rows = {row.way: row.rouge for row in table(ASKED, SAMPLES)}
    near = 2 / 8  # "who" of four words each
    assert rows["greedy"] == rows["aps"] == near
    assert rows["round_trip"] == rows["2-grams"] == rows["2-grams + round_trip"] == rows["oracle, by ROUGE-L"] == 1.0
    assert rows["random (mean of all)"] == (near + 1) / 2
    assert rows["2-grams + aps"] == near  # a tie: the first
    assert "ops" not in rows
    assert [*table(ASKED[1:], SAMPLES[1:])] == []


def test_a_run_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "log" / "drawn.jsonl"
    StepLog(path, Drawn, lambda _: None).of("0", lambda: SAMPLES[0])
    path.write_text(path.read_text(encoding="utf-8") + '["1", {"torn', encoding="utf-8")
    model = ScriptedModel(reply=lambda _: "<question>Who found it?</question><answer>Dana</answer>")
    study = Study(model, PromptBuilder(PROMPTS, b"secret", "connected"), LANGUAGES.fold)
    told: list[int] = []
    assert drawn(study, ASKED, 2, path, told.append) == [SAMPLES[0], Drawn(("Who found it?",), {})]
    assert (len(path.read_text(encoding="utf-8").splitlines()), told) == (2, [1, 2])
    asked = len(model.asked)
    assert len(drawn(study, ASKED, 2, path, told.append)) == 2
    assert len(model.asked) == asked == 1

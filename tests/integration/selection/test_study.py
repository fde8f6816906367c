"""Study questions and drafts through the composition of `app.py`: sampled and scored by a model over HTTP."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing

import pytest

from assistant.errors import ModelError, TooOften
from assistant.papers.selection.study import Study, StudyQuestion
from assistant.types import Scope
from tests.support.memory.loop import last
from tests.support.servers import faults
from tests.support.servers.chat_server import Body, ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("study-questions-have-answers", "study-is-bounded")

ME = Scope("me")
TEXT = "Dana found the ring. The ring was lost in 1867. Kim kept it."
WRITTEN = {0.0: ("What was found?", "something"), 0.7: ("Who found the ring?", "Dana")}


WAYS = {0.0: ("You want a sound.", "kwik"), 0.7: ('You want a word like "quick".', "fast")}


def model(body: Body) -> str:
    """Write by temperature. Answer the better question as expected, and ask back right for the better answer."""
    system, *_, last_message = (message["content"] for message in body["messages"])
    temperature = body.get("temperature", 0.0)
    if "You answer a question" in system:
        return f"<answer>{'Dana' if 'Who found' in last_message else 'a ring'}</answer>"
    if "Say what was asked." in system:
        return 'You want a word like "quick".' if "fast" in last_message else "You want nothing."
    if "You write study questions" in system:
        question, answer = WRITTEN[temperature]
        return f"<question>{question}</question>\n<answer>{answer}</answer>"
    understanding, answer = WAYS[temperature]
    return f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


def study_with(composed: Callable[..., Services], server: ChatServer, **environment: str) -> Study:
    server.answer = model
    return composed({**server.settings, "NOTED_TURNS_PER_MINUTE": "99", **environment}).study


def made_of(study: Study, text: str = TEXT, answers: tuple[str, ...] = (), count: int = 3) -> list[StudyQuestion]:
    return [one for one in study.questions(study.passages(text, answers), count, ME) if one]


def kept(made: StudyQuestion) -> tuple[str, str]:
    assert made.kept
    return made.kept.question, made.kept.answer


def test_best_of_several_is_kept(composed: Callable[..., Services], server: ChatServer) -> None:
    study = study_with(composed, server)
    assert study.most_calls(3, 3) == 3 * 3 * 2
    first, *_ = made = made_of(study)
    assert len(made) == 3
    assert [(one.question, one.answer, {**one.scores}) for one in first.all] == [
        ("What was found?", "something", {"ngrams": 0.0, "round_trip": 0.0}),
        ("Who found the ring?", "Dana", {"ngrams": pytest.approx(2 / 3), "round_trip": 1.0}),  # equal to the third
    ]
    assert first.kept is first.all[1]
    temperatures = sorted(request.body["temperature"] for request in server.requests)
    assert temperatures == [0.0] * 3 * (1 + 2) + [0.7] * 3 * 2  # greedy ones: a question, and the answers to two


def test_question_has_the_answer_that_is_given(composed: Callable[..., Services], server: ChatServer) -> None:
    study = study_with(composed, server)
    (made,) = made_of(study, answers=("in 1867",), count=2)
    assert (made.passage.sentence, *kept(made)) == ("The ring was lost in 1867.", "Who found the ring?", "in 1867")
    asked = [request.question for request in server.requests if "<about" in request.question]
    assert len(asked) == 2
    assert all('"answer": "in 1867"' in question and '"sentence"' not in question for question in asked)


def test_failing_model_keeps_what_was_made(composed: Callable[..., Services], server: ChatServer) -> None:
    study = study_with(composed, server)
    coming = study.questions(study.passages(TEXT), 1, ME)
    first = next(filter(None, coming))
    assert kept(first) == ("What was found?", "something")
    server.replies(faults.status(401))
    with pytest.raises(ModelError):
        next(filter(None, coming))


def test_closing_ends_all_calls(composed: Callable[..., Services], server: ChatServer) -> None:
    study = study_with(composed, server)
    server.replies(*[faults.stalls_after("<question>")] * 3)
    with closing(study.questions(study.passages(TEXT), 3, ME)) as coming:
        while len(server.requests) < 3:
            assert next(coming) is None
    assert all(request.disconnected.wait(5) for request in server.requests)
    assert len(server.requests) == 3


def test_allowance_bounds_the_calls(composed: Callable[..., Services], server: ChatServer) -> None:
    study = study_with(composed, server, NOTED_TURNS_PER_MINUTE="7")
    coming = filter(None, study.questions(study.passages(TEXT), 3, ME))
    assert next(coming).all
    asked = len(server.requests)
    with pytest.raises(TooOften):
        next(coming)
    assert len(server.requests) == asked


def test_long_line_ends() -> None:
    # It took hours when every position of a line was tried as a beginning.
    read = "from assistant.papers.selection.study import Study; Study(None, None, str.lower).passages('x' * 400_000)"
    subprocess.run([sys.executable, "-c", read], check=True, timeout=120)


@pytest.mark.promise("best-draft-is-shown", "drafts-can-fail")
def test_further_drafts_have_a_temperature(composed: Callable[..., Services], server: ChatServer) -> None:
    server.answer = model
    last(composed(server.settings).assistant.ask("What is akin to big?", ME))
    (plain,) = server.requests
    assert "temperature" not in plain.body
    turn = last(composed({**server.settings, "NOTED_DRAFTS": "3"}).assistant.ask("What is akin to quick?", ME))
    assert turn.reply.answer == "fast"
    drafts = turn.reply.fields["drafts"]["all"]
    assert [one["fields"]["answer"] for one in drafts] == ["kwik", "fast"]  # the third equals the second
    _, *drawn, first, second = (request.body for request in server.requests)
    assert sorted(body["temperature"] for body in drawn) == [0.0, 0.7, 0.7]
    assert len({str(body["messages"]) for body in drawn}) == 1
    assert first["temperature"] == second["temperature"] == 0.0  # round trips are greedy

"""The embedded model with another embedder than the bundled one, for which its margins were not made."""

from collections.abc import Callable

from assistant.types import Scope
from tests.support.memory.loop import last
from ui.server.services import Services

ME = Scope("ann")
QUESTIONS = {
    "What is the opposite of hot?": "cold",
    "What's another word for quick?": "fast",
    "tell me the antonym of day": "night",
    "hot ka ulta kya hai": "cold",
    "give me a synonym for big": "large",
    "say a word that means the opposite of tall": "short",
    "a word that sounds like right": "write",
    "write hello in capitals": "HELLO",
    "what is the third letter of banana": "n",
    "remove the vowels from orange": "rng",
    "spell banana backwards": "ananab",
    "how many letters are in window?": "6",
    "which word was rotated into owwind?": "window",
    "what are letters 1 and 3 of banana?": "b, n",
    "which word sounds just like flour?": "flower",
}
NEW, MEANT, LIKE_IT = "What is akin to quick?", "I want a word with the same meaning", "What is akin to enormous?"


def test_plain_questions_are_answered_and_what_was_taught_counts(
    composed: Callable[..., Services], trial: Callable[[str], str]
) -> None:
    assistant = composed({"NOTED_EMBEDDER": trial("layers-2")}).assistant

    def answer(question: str) -> str:
        return last(assistant.ask(question, ME)).reply.answer

    assert {question: answer(question) for question in QUESTIONS} == QUESTIONS
    turn = last(assistant.ask(NEW, ME))
    again = last(assistant.clarify(turn.id, MEANT, ME)).reply
    assert again
    assert again.answer == "fast"
    assert answer(LIKE_IT) == "large"

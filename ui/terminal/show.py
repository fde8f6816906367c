"""Shows results of operations in a terminal: an answer as it comes, lists as tables, anything else line by line.

What was asked for goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import NotedError
from assistant.settings import EMBEDDED
from assistant.sharing import KEPT_BACK
from assistant.text.cleaning import printable
from ui.actions.facts import proposals
from ui.actions.operation import Operation
from ui.terminal.command_parts import write_file
from ui.words.texts import ENGLISH

if TYPE_CHECKING:
    from rich.console import Console

    from ui.terminal.client import Client

SHORT = 8
"""Characters of an id that are shown."""
MEMORY_STYLE, QUIET_STYLE, TROUBLE_STYLE = "cyan", "dim", "yellow"
_REACHES = {
    "question": "for this question only",
    "way": "for questions like this",
    "conversation": "in this conversation only",
}
_DONE = {
    "confirm": "Good. It is kept as an example.",
    "except": "It is not used for questions like this.",
    "pause": "It is paused.",
    "resume": "It is used again.",
}
"""What a reaction did that has nothing answered again."""
_ANSWERS = frozenset({"ask", "clarify", "edit_question", "retry", "react", "dispute"})
_KEPT_BACK = frozenset(map(str, KEPT_BACK))

Plain = Mapping[str, Any]


def print_json(results: Iterator[Plain]) -> int:
    """Print the last result as one line of JSON in ASCII, which every terminal takes; return the exit code."""
    *_, last = results
    sys.stdout.write(json.dumps(last) + "\n")
    return _exit_code(last)


def show(
    operation: Operation[Any, Any], sent: Plain, results: Iterator[Plain], client: Client, out: Path | None
) -> int:
    """Show the results of an operation as they come; return the exit code.

    Args:
        operation: the operation.
        sent: what it was given.
        results: each the whole so far; the last one is what counts.
        client: calls further operations about the result.
        out: where the text of a file is written to.
    """
    if operation.name in _ANSWERS:
        return _show_answer(sent, results, client)
    last = _last(results)
    if out is not None:
        write_file(out, last["file"])
        say(last["sentence"], QUIET_STYLE, err=True)
    else:
        _SHOWS.get(operation.name, _show_plain)(last)
    return _exit_code(last)


def say(text: str, style: str = "", end: str = "\n", *, err: bool = False) -> None:
    """Print a text of any user as text: no markup, no commands to the terminal, and no breaks that were not in it."""
    from rich.text import Text  # not before it is needed

    console(err=err).print(Text(printable(text), style), end=end, soft_wrap=True)


def console(*, err: bool) -> Console:
    from rich.console import Console

    return Console(stderr=err, highlight=False, emoji=False, markup=False)


def _exit_code(last: Plain) -> int:
    return int(last.get("state") == "failed" or bool(last.get("error")) or last.get("right") is False)


def _last(results: Iterator[Plain]) -> Plain:
    """Return the last result; meanwhile show how far it is, where the results say so."""
    from rich.progress import Progress

    last: Plain = {}
    shown_on = console(err=True)
    with Progress(console=shown_on, transient=True, disable=not shown_on.is_terminal) as progress:
        task = progress.add_task("", total=None, visible=False)
        for last in results:
            done = last.get("done", len(last.get("questions", ())))
            if total := last.get("of", last.get("places")):
                progress.update(task, total=total, completed=done, visible=True)
    return last


def _show_answer(sent: Plain, results: Iterator[Plain], client: Client) -> int:
    """Show an answer as it comes: how the question was understood, the answer, and what it is based on."""
    if sent.get("reaction") in _DONE:
        *_, last = results
        say(_DONE[str(sent["reaction"])], MEMORY_STYLE, err=True)
        return _exit_code(last)
    written, last = _Written(), {}
    with ExitStack() as waiting:
        status = waiting.enter_context(console(err=True).status(ENGLISH["thinking"], spinner_style=QUIET_STYLE))
        for last in results:
            if last["understanding"] or last["answer"]:
                waiting.close()
                written.show(last)
            elif last["doing"]:
                status.update(ENGLISH[last["doing"]])
    if last["understanding"] or last["answer"]:
        sys.stdout.write("\n")
    _show_sources(last)
    for entry in last["saved"]:
        reach = "" if entry["type"] in {"fact", "step"} else f" ({_REACHES[entry['reach']]})"
        say(f"Saved: {entry['text']}{reach}  (`undo` takes it back)", MEMORY_STYLE, err=True)
    if last["unchanged"]:
        is_small = last["model"] == EMBEDDED and not last["used"]
        say(ENGLISH["not_followed" if is_small else "followed_as_before"], TROUBLE_STYLE, err=True)
    for other in last["others"]:
        counts = "You also said" if other["applies"] else "This replaces"
        relation = "instead" if other["applies"] else "beside"
        hint = f"`relate {relation} {other['entry'][:SHORT]}`"
        say(f"{counts} on {_day(other['since'])}: {other['text']} ({hint})", MEMORY_STYLE, err=True)
    _show_hints(last, client)
    return _exit_code(last)


class _Written:
    """Writes answers piece by piece: of the turn that is shown, each time what is new."""

    def __init__(self) -> None:
        self._of, self._understanding, self._answer = "", "", ""

    def show(self, answer: Plain) -> None:
        if answer["turn"] != self._of:
            self._of, self._understanding, self._answer = answer["turn"], "", ""
        understanding, text = answer["understanding"], answer["answer"]
        if not understanding.startswith(self._understanding):  # another one took its place
            self._understanding = ""
            say("")
        if understanding and not self._understanding:
            say("I understood this as: ", QUIET_STYLE, end="")
        say(understanding[len(self._understanding) :], "bold", end="")
        if text and understanding and not self._answer:
            say("\n")
        say(text[len(self._answer) :], end="")
        self._understanding, self._answer = understanding, text


def _show_sources(answer: Plain) -> None:
    for looked in answer["looked_up"]:
        found = "" if looked["found"] else f" ({looked['outcome']})"
        say(f"Looked up: {looked['asked']}{found}", QUIET_STYLE, err=True)
    for number, used in enumerate(answer["used"], 1):
        entry = used["entry"]
        whose = "shared with everyone" if entry["shared"] else "from you"
        say(f"From memory [{number}]: {entry['text']}", MEMORY_STYLE, err=True)
        say(f"  {used['reason']} ({whose}, {_day(entry['since'])})", QUIET_STYLE, err=True)
    for skipped in answer["skipped"]:
        if skipped["reason"] in _KEPT_BACK:
            say(f"{skipped['reason']} ({skipped['entry']['text']})", MEMORY_STYLE, err=True)
            say(f"  `resume {skipped['entry']['entry'][:SHORT]}` has it used again.", QUIET_STYLE, err=True)


def _show_hints(answer: Plain, client: Client) -> None:
    """Say what went wrong, what is asked back, what is proposed, and how to correct it."""
    for text in filter(None, (answer["error"], answer["asks"])):
        say(text, TROUBLE_STYLE, err=True)
    if answer["state"] != "answered":
        return
    for fact in answer["proposed"]:
        say(f"On your fact sheet? {_fact(fact)} (`decide keep --number {fact['number']}`)", MEMORY_STYLE, err=True)
    try:
        *_, proposed = client.results(proposals, {"turn": answer["turn"]})
    except NotedError:  # the answer was shown all the same
        return
    for lesson in proposed["lessons"]:
        if lesson["state"] == "proposed":
            say(f"Suggested lesson: {lesson['lesson']} (`decide keep --of lesson`)", MEMORY_STYLE, err=True)
    say("Not what you meant? `clarify` and what you meant.", QUIET_STYLE, err=True)


def _show_entries(result: Plain) -> None:
    for entry in result["entries"]:
        means = f"{entry['question']} → {entry['text']}" if entry["type"] == "clarification" else entry["text"]
        paused = " (paused)" if entry["paused"] else ""
        say(f"{entry['entry'][:SHORT]}  {_day(entry['since'])}  {means}{paused}")
    if not result["entries"]:
        say("Nothing is stored that fits.", QUIET_STYLE, err=True)
    elif result["total"] > len(result["entries"]):
        say(f"{result['total']:,} in all; --limit and --offset show more.", QUIET_STYLE, err=True)


def _show_why(result: Plain) -> None:
    say(result["verdict"])
    for reason in result["reasons"]:
        say(f"  {reason['number']}. {reason['says']}", MEMORY_STYLE if reason["entry"] else "")
        say(f"     {reason['origin']}", QUIET_STYLE)


def _show_drafts(result: Plain) -> None:
    for draft in result["drafts"]:
        scores = ", ".join(f"{name} {score:.0%}" for name, score in draft["scores"].items())
        say(f"{'*' if draft['shown'] else ' '} {draft['number']}. {draft['understanding']}  ({scores})")
        say("".join(f"     {line}\n" for line in draft["answer"].splitlines()), end="")
    if len(result["drafts"]) < 2:
        say("No other way was found to answer this.", QUIET_STYLE, err=True)


def _show_questions(result: Plain) -> None:
    """Show study questions as `practice` reads them: the question, a tab, and its answer."""
    for one in result["questions"]:
        if one["question"]:
            say(f"{one['question']}\t{one['answer']}")
    if result["error"]:
        say(result["error"], TROUBLE_STYLE, err=True)


def _show_proposals(result: Plain) -> None:
    for fact in result["facts"]:
        say(f"{fact['number']}. {_fact(fact)} ({fact['state']})")
    for lesson in result["lessons"]:
        say(f"Lesson of {lesson['turn'][:SHORT]}: {lesson['lesson']} ({lesson['state']})")
    if not (result["facts"] or result["lessons"]):
        say("Nothing is proposed.", QUIET_STYLE, err=True)


def _show_turns(result: Plain) -> None:
    for turn in result["turns"]:
        say(f"{turn['question']}  ({turn['state']})", "bold")
        say(f"  {turn['understanding']}", QUIET_STYLE)
        say(f"  {turn['answer']}")


def _show_undone(result: Plain) -> None:
    say(f"Taken back. Answers that changed with it: {len(result['turns'])}.")


def _show_reading(result: Plain) -> None:
    for number, fact in enumerate(result["facts"], 1):
        say(f"{number}. {fact['line']}{' (saved)' if fact['saved'] else ''}")
    for why in result["why_not"]:
        say(why, TROUBLE_STYLE, err=True)
    if not result["facts"]:
        say("I found nothing in it that I could keep.", QUIET_STYLE, err=True)
    elif not any(fact["saved"] for fact in result["facts"]):
        say("Nothing was saved; --keep all, or numbers with commas, saves facts.", QUIET_STYLE, err=True)


def _show_token(result: Plain) -> None:
    say(result["secret"])
    say(f"Whoever has this speaks for you. It is not shown again; `revoke {result['id']}` ends it.", err=True)


def _show_sentence(result: Plain) -> None:
    say(result["sentence"])


def _show_plain(result: Plain) -> None:
    """Show its sentence alone, where it has one; else each value by name, and each of several things in a line."""
    if set(result) == {"sentence"}:
        say(result["sentence"])
        return
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for row in value:
                say("  ".join(_cells(row)))
        elif value not in ("", [], {}):
            say(value if name in {"sentence", "secret"} else f"{name.replace('_', ' ')}: {_cell(value)}")


def _cells(row: Plain) -> Iterator[str]:
    """Yield the values of a row, ids as short as they are typed; of what is only true or not, its name if it is."""
    for name, value in row.items():
        if isinstance(value, dict) and name != "scores":
            yield from _cells(value)
        elif isinstance(value, bool):
            yield from [name] * value
        elif value not in ("", [], {}, None) and name != "scores":
            yield value[:SHORT] if name == "entry" else _cell(value)


def _cell(value: Any) -> str:
    match value:
        case dict():
            return ", ".join(f"{name}: {_cell(each)}" for name, each in value.items())
        case list():
            return "; ".join(map(_cell, value))
        case str() if re.match(r"\d{4}-\d\d-\d\dT", value):
            return _day(value)
        case float():
            return f"{value:.4g}"
    return str(value)


def _fact(fact: Plain) -> str:
    return " · ".join((fact["subject"], fact["relation"], fact["object"]))


def _day(when: str) -> str:
    return when[:10]


_SHOWS: Mapping[str, Callable[[Plain], None]] = {
    "list": _show_entries,
    "why": _show_why,
    "drafts": _show_drafts,
    "take": _show_drafts,
    "questions": _show_questions,
    "proposals": _show_proposals,
    "decide": _show_proposals,
    "conversation": _show_turns,
    "undo": _show_undone,
    "learn": _show_reading,
    "token": _show_token,
    "verify": _show_sentence,
    "forget": _show_sentence,
    "forget_everything": _show_sentence,
    "erase_conversation": _show_sentence,
}
"""How results are shown that are not shown value by value."""

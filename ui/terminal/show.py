"""Shows results of operations in a terminal: an answer as it comes, lists as tables, anything else line by line.

What was asked for goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator, Mapping
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
_EACH = "{each}"
_LINES = {
    "entries": "{entry:.8}  {since:.10}  {type}: {question} → {text}",
    "found": "{decision} ({probability:.0%}): {entry[question]} → {entry[text]}\n  {reason}",
    "reasons": "  {number}. {says}\n     {origin}",
    "drafts": "{number}. {understanding}\n     {answer}",
    "facts": "{number}. {subject} · {relation} · {object} ({state})",
    "read": "{line}",
    "lessons": "{lesson}",
    "lines": "{line}  {since:.10}  {subject} · {relation} · {object}",
    "questions": "{question}\t{answer}",
    "turns": "{question} ({state})\n  {understanding}\n  {answer}",
    "offers": "{offer[id]} {seal}\n  {offer[state]}, {who}: {question} → {text}",
}
"""How each of several things is shown, by the name of their list; study questions as `practice` reads them."""
_ANSWERS = frozenset({"ask", "clarify", "edit_question", "retry", "react", "dispute"})
_KEPT_BACK = frozenset(map(str, KEPT_BACK))

Plain = Mapping[str, Any]


def print_json(results: Iterator[Plain]) -> int:
    """Print the last result as one line of JSON in ASCII, which every terminal takes; return the exit code."""
    last = deque(results, maxlen=1)[0]  # each is the whole so far
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
        _show_plain(last)
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
    for entry in _in_lines(last["saved"]):
        reach = "" if entry["type"] in {"fact", "step"} else f" ({_REACHES[entry['reach']]})"
        say(f"Saved: {entry['text']}{reach}  (`undo` takes it back)", MEMORY_STYLE, err=True)
    if last["unchanged"]:
        is_small = last["model"] == EMBEDDED and not last["used"]
        say(ENGLISH["not_followed" if is_small else "followed_as_before"], TROUBLE_STYLE, err=True)
    for other in _in_lines(last["others"]):
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
    answer = _in_lines(answer)
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


def _show_plain(result: Plain) -> None:
    """Show a result value by value, and each of several things in lines of their own."""
    if "sentence" in result and not any(isinstance(value, list) for value in result.values()):
        say(result["sentence"])
        return
    if "secret" in result:
        say(result["secret"])
        say(f"It is not shown again; `revoke {result['id']}` ends it.", QUIET_STYLE, err=True)
        return
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for row in value if name == "turns" else _in_lines(value):
                say(_LINES.get(name, _EACH).format_map(_Row(row)))
                for line in row.get("further", ()):  # a curator sees all that everyone would get
                    say(f"  {line}")
        elif name == "sentence":
            say(value)
        elif value not in ("", [], {}):
            say(f"{name.replace('_', ' ')}: {_cell(value)}")
    if all(value in (0, []) for value in result.values()):
        say("There is nothing.", QUIET_STYLE, err=True)


class _Row(dict[str, Any]):
    """A row, of which `each` is all there is, in short."""

    def __missing__(self, name: str) -> str:
        return "  ".join(_cell(value) for value in self.values() if value not in ("", [], {}, None, False))


def _in_lines(value: Any) -> Any:
    """Return plain data in which each text is one line, so that none looks like a further row."""
    match value:
        case dict():
            return {name: _in_lines(each) for name, each in value.items()}
        case list():
            return [*map(_in_lines, value)]
        case str():
            return " ".join(value.split())
    return value


def _cell(value: Any) -> str:
    match value:
        case dict():
            return ", ".join(f"{name} {_cell(each)}" for name, each in value.items())
        case list():
            return "; ".join(map(_cell, value))
        case float():
            return f"{value:.4g}"
    return str(value)


def _fact(fact: Plain) -> str:
    return " · ".join((fact["subject"], fact["relation"], fact["object"]))


def _day(when: str) -> str:
    return when[:10]

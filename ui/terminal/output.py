"""Terminal output and input: results on standard output, everything else on standard error; and exit codes."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from assistant.errors import InputError, NotedError
from assistant.reports.upkeep import Progress, ignore_progress
from assistant.settings import EMBEDDED
from assistant.sharing import KEPT_BACK
from assistant.text.cleaning import clean_for_terminal
from ui.actions.operation import Operation
from ui.server.process import prepare_process
from ui.words.texts import ENGLISH, SAID_AT_ONCE

if TYPE_CHECKING:
    from rich.console import Console

Plain = dict[str, Any]
Results = Callable[[Progress], Iterator[Plain]]
"""Perform an operation: yield its results, which are cumulative."""
_MEMORY, QUIET_STYLE, TROUBLE_STYLE = "cyan", "dim", "yellow"
_ANSWERING = frozenset({"exclude", "use"})
"""Reactions that answer again."""
_LINES = {
    "entries": "{entry:.8}  {since:.10}  {type}: {said}",
    "found": "{decision} ({probability:.0%}): {entry[question]} → {entry[text]}\n  {reason}",
    "reasons": "  {number}. {says}\n     {origin}",
    "drafts": "{number}. {understanding}\n     {answer}",
    "facts": "{number}. {subject} · {relation} · {object} ({state})",
    "read": "{number}. {line}",
    "lessons": "{lesson}",
    "against": "{question}: {answer}, not {said}",
    "conversations": "{id}  {last:.10}  {title}",
    "tokens": "{id}  {created:.10}  {label}",
    "lines": "{line}  {since:.10}  {subject} · {relation} · {object}",
    "questions": "{question}\t{answer}",
    "turns": "{question} ({state})\n  {understanding}\n  {answer}",
    "offers": "{offer[id]} {seal}\n  {offer[state]}, {who}: {said}\n  {further}",
}
"""Line format of list items, by name of list or operation; `practice` can read the study questions."""
_FOR_PROGRAMS = frozenset({"turn", "claim", "done", "of", "places", "receipt", "erased", "damaged", "entries"})
"""Values that other lines repeat."""
_ANSWERS = frozenset({"ask", "clarify", "edit_question", "retry", "react", "dispute"})
_KEPT_BACK = frozenset(map(str, KEPT_BACK))


class PlainErrors(TyperGroup):
    """Commands that end with an error message and an exit code."""

    input_errors: tuple[type[NotedError], ...] = ()  # exit code 2; all others 1
    stopped = "Stopped."

    def main(self, *args: Any, **named: Any) -> Any:
        prepare_process()
        return super().main(*args, **named)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except NotedError as error:
            say(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, self.input_errors) else 1) from None
        except KeyboardInterrupt:
            say(self.stopped, err=True)
            raise typer.Exit(130) from None


def say(text: str = "", style: str = "", end: str = "\n", *, err: bool = False) -> None:
    """Print text of any user: without markup, terminal escapes or wrapping."""
    from rich.text import Text  # imported late

    console(err=err).print(Text(clean_for_terminal(text), style), end=end, soft_wrap=True)


def console(*, err: bool) -> Console:
    """Return a rich console for standard output or standard error."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, emoji=False, markup=False)


def agree(question: str) -> None:
    """Ask for confirmation. Raises InputError: denied, or standard input is empty."""
    if not confirm(question):
        raise InputError("Nothing was changed. Use --yes to confirm.")


def confirm(question: str) -> bool:
    """Ask for a yes; one line only, since in a conversation others follow."""
    say(f"{question} [y/N]: ", end="" if sys.stdin.isatty() else "\n", err=True)
    return decode_input(sys.stdin.buffer.readline()).strip().lower() in {"y", "yes"}


def decode_input(written: bytes) -> str:
    """Decode bytes as UTF-8, else in the encoding of standard input, with U+FFFD for invalid bytes."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode(sys.stdin.encoding, "replace")


def write_file(file: Path, text: str) -> None:
    """Write a file that only its owner may read; `-` is standard output. Raises InputError."""
    if str(file) == "-" and sys.stdout.isatty():
        say(text, end="")
    elif str(file) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())  # keep UTF-8, or an export could not be imported again
    else:
        try:
            file.touch(mode=0o600)
            if file.is_file():  # it may have existed with other permissions
                file.chmod(0o600)
            file.write_bytes(text.encode())
        except OSError as error:
            raise InputError(f"{file} cannot be written: {error.strerror}.") from error


def print_json(results: Results) -> int:
    """Print the last result as one line of ASCII JSON; return the exit code."""
    last = deque(results(ignore_progress), maxlen=1)[0]
    sys.stdout.write(json.dumps(last) + "\n")
    return _exit_code(last)


def show(operation: Operation[Any, Any], sent: Plain, results: Results, prefix: str, out: Path | None) -> int:
    """Print the results of an operation as they arrive, write its file to `out`, and return the exit code.

    Hints name commands with `prefix`.
    """
    if operation.name in _ANSWERS and sent.get("reaction", "use") in _ANSWERING:
        return _show_answer(results, prefix)
    last: Plain = {}
    with console(err=True).status("") as status:
        try:
            for last in results(status.update):
                if total := last.get("of", last.get("places")):
                    status.update(f"{last.get('done', len(last.get('questions', ()))):,} of {total:,}…")
        except KeyboardInterrupt:
            _show_plain(operation.name, last)  # partial results stay
            raise
    if "reaction" in sent:
        say("Done.", _MEMORY, err=True)
    elif out is not None:
        write_file(out, last["file"])
        say(last["sentence"], QUIET_STYLE, err=True)
    else:
        _show_plain(operation.name, last)
    return _exit_code(last)


def _exit_code(last: Plain) -> int:
    return int(last.get("state") == "failed" or bool(last.get("error")) or last.get("right") is False)


def _show_answer(results: Results, prefix: str) -> int:
    """Print an answer as it streams, then the lines under it. Return the exit code."""
    shown, last = "", {}
    with ExitStack() as waiting:
        status = waiting.enter_context(console(err=True).status(ENGLISH["thinking"], spinner_style=QUIET_STYLE))
        for last in results(ignore_progress):
            understood = last["understanding"] not in {"", *SAID_AT_ONCE}
            text = f"I understood this as: {last['understanding']}" if understood else ""
            text += ("\n\n" if text and last["answer"] else "") + last["answer"]
            if not text.startswith(shown):  # a new answer replaced it
                say("")
                shown = ""
            if text:
                waiting.close()
                say(text.removeprefix(shown), end="")
            elif last["doing"]:
                status.update(ENGLISH[last["doing"]])
            shown = text
    if shown:
        say("")
    for line, style in _lines_under(_in_lines(last), prefix):
        say(line, style, err=True)
    return _exit_code(last)


def _lines_under(answer: Plain, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield lines with their styles: sources, what was saved, trouble, and what can be done next."""
    for looked in answer["looked_up"]:
        yield f"Looked up: {looked['asked']}" + ("" if looked["found"] else f" ({looked['outcome']})"), QUIET_STYLE
    for number, used in enumerate(answer["used"], 1):
        entry = used["entry"]
        whose = "shared with everyone" if entry["shared"] else "from you"
        yield f"From memory [{number}]: {entry['text']}", _MEMORY
        yield f"  {used['reason']} ({whose}, {entry['since']:.10})", QUIET_STYLE
    for skipped in answer["skipped"]:
        if skipped["reason"] in _KEPT_BACK:
            yield f"{skipped['reason']} ({skipped['entry']['text']})", _MEMORY
            yield f"  `{prefix}resume {skipped['entry']['entry']:.8}` uses it again.", QUIET_STYLE
    for entry in answer["saved"]:
        reach = "" if entry["type"] in {"fact", "step"} else f" ({ENGLISH['reach_' + entry['reach']]})"
        yield f"Saved: {entry['text']}{reach}  (`{prefix}undo` takes it back)", _MEMORY
    if answer["unchanged"]:
        is_small = answer["model"] == EMBEDDED and not answer["used"]
        yield ENGLISH["not_followed" if is_small else "followed_as_before"], TROUBLE_STYLE
    for other in answer["others"]:
        counts, place = ("You also said", "instead") if other["applies"] else ("This replaces", "beside")
        yield f"{counts}: {other['text']} (`{prefix}relate {place} {other['entry']:.8}`)", _MEMORY
    yield from ((text, TROUBLE_STYLE) for text in (answer["error"], answer["asks"]) if text)
    if answer["state"] == "answered":
        for fact in answer["proposed"]:
            triple = f"{fact['subject']} · {fact['relation']} · {fact['object']}"
            yield f"On your fact sheet? {triple} (`{prefix}decide keep --number {fact['number']}`)", _MEMORY
        yield f"Not what you meant? Use `{prefix}clarify` and say what you meant.", QUIET_STYLE


def _show_plain(name: str, result: Plain) -> None:
    """Print the values of a result and one line per list item. A new token is printed as its secret only."""
    if "secret" in result:
        say(result["secret"])
        say(f"It is not shown again; `revoke {result['id']}` ends it.", QUIET_STYLE, err=True)
        return
    if all(value in (0, []) for value in result.values()):
        say("There is nothing.", QUIET_STYLE, err=True)
        return
    for key, value in ({"entries": [result]} if "applies" in result else result).items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            line = _LINES.get(name if key == "result" else key, "")
            for number, row in enumerate(value if key == "turns" else _in_lines(value), 1):
                said = " → ".join(dict.fromkeys((row.get("question", ""), row.get("text", ""))))  # facts repeat it
                cells = {name: _cell(one) if isinstance(one, list) else one for name, one in row.items()}
                say(line.format_map({"number": number, "said": said, **cells}) or _cell(row))
        elif key in {"sentence", "result"}:
            say(_cell(value))
        elif not (key in _FOR_PROGRAMS or isinstance(value, bool) or value in ("", [], {}, None)):
            say(f"{key.replace('_', ' ')}: {_cell(value)}")


def _in_lines(value: Any) -> Any:
    """Collapse white space in all texts of plain data, so that no text looks like another row."""
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

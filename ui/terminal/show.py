"""Print results of operations: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from assistant.settings import EMBEDDED
from assistant.sharing import KEPT_BACK
from ui.actions.operation import Operation
from ui.terminal.command_parts import (
    MEMORY_STYLE,
    QUIET_STYLE,
    TROUBLE_STYLE,
    Client,
    Plain,
    console,
    say,
    write_file,
)
from ui.words.texts import ENGLISH

_DONE = {
    "confirm": "Good. It is kept as an example.",
    "except": "It is not used for questions like this.",
    "pause": "It is paused.",
    "resume": "It is used again.",
}
"""Confirmation of reactions that answer nothing again."""
_LINES = {
    "entries": "{entry:.8}  {since:.10}  {type}: {said}",
    "found": "{decision} ({probability:.0%}): {entry[question]} → {entry[text]}\n  {reason}",
    "reasons": "  {number}. {says}\n     {origin}",
    "drafts": "{number}. {understanding}\n     {answer}",
    "facts": "{number}. {subject} · {relation} · {object} ({state})",
    "read": "{number}. {line}",
    "lessons": "{lesson}",
    "conversations": "{id}  {last:.10}  {title}",
    "tokens": "{id}  {created:.10}  {label}",
    "stretches": "{began:.10}  corrected with memory: {with_memory[corrected]} of {with_memory[questions]}, "
    "without: {without[corrected]} of {without[questions]}",
    "worked": "{entry_id:.8}  used {used}, helped {helped}, hurt {hurt}",
    "lines": "{line}  {since:.10}  {subject} · {relation} · {object}",
    "questions": "{question}\t{answer}",
    "spent": "{day}  ${dollars:.2f}",
    "turns": "{question} ({state})\n  {understanding}\n  {answer}",
    "offers": "{offer[id]} {seal}\n  {offer[state]}, {who}: {said}\n  {further}",
}
"""Line format of list items, by name of list or operation; `practice` can read the study questions."""
_FOR_PROGRAMS = frozenset({"turn", "claim", "done", "of", "places", "receipt", "erased", "damaged", "entries"})
"""Values that other lines repeat."""
_ANSWERS = frozenset({"ask", "clarify", "edit_question", "retry", "react", "dispute"})
_KEPT_BACK = frozenset(map(str, KEPT_BACK))


def print_json(results: Iterator[Plain]) -> int:
    """Print the last result as one line of ASCII JSON; return the exit code."""
    last = deque(results, maxlen=1)[0]  # results are cumulative
    sys.stdout.write(json.dumps(last) + "\n")
    return _exit_code(last)


def show(
    operation: Operation[Any, Any], sent: Plain, results: Iterator[Plain], client: Client, out: Path | None
) -> int:
    """Print the results of an operation as they arrive, write its file to `out`, and return the exit code."""
    if operation.name in _ANSWERS and sent.get("reaction") not in _DONE:
        return _show_answer(results, client)
    last = _last(operation.name, results)
    if "reaction" in sent:
        say(_DONE[str(sent["reaction"])], MEMORY_STYLE, err=True)
    elif out is not None:
        write_file(out, last["file"])
        say(last["sentence"], QUIET_STYLE, err=True)
    else:
        _show_plain(operation.name, last)
    return _exit_code(last)


def _exit_code(last: Plain) -> int:
    return int(last.get("state") == "failed" or bool(last.get("error")) or last.get("right") is False)


def _last(name: str, results: Iterator[Plain]) -> Plain:
    """Return the last result; meanwhile show progress if the results have it."""
    last: Plain = {}
    with console(err=True).status("") as status:
        try:
            for last in results:
                if total := last.get("of", last.get("places")):
                    status.update(f"{last.get('done', len(last.get('questions', ()))):,} of {total:,}…")
        except KeyboardInterrupt:
            _show_plain(name, last)  # partial results stay
            raise
    return last


def _show_answer(results: Iterator[Plain], client: Client) -> int:
    """Print an answer as it streams: understanding, answer, sources. Return the exit code."""
    shown, last = "", {}
    with ExitStack() as waiting:
        status = waiting.enter_context(console(err=True).status(ENGLISH["thinking"], spinner_style=QUIET_STYLE))
        for last in results:
            text = f"I understood this as: {last['understanding']}" if last["understanding"] else ""
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
    _show_sources(last, client)
    for entry in _in_lines(last["saved"]):
        reach = "" if entry["type"] in {"fact", "step"} else f" ({ENGLISH['reach_' + entry['reach']]})"
        say(f"Saved: {entry['text']}{reach}  (`{client.prefix}undo` takes it back)", MEMORY_STYLE, err=True)
    if last["unchanged"]:
        is_small = last["model"] == EMBEDDED and not last["used"]
        say(ENGLISH["not_followed" if is_small else "followed_as_before"], TROUBLE_STYLE, err=True)
    for other in _in_lines(last["others"]):
        counts, place = ("You also said", "instead") if other["applies"] else ("This replaces", "beside")
        hint = f"`{client.prefix}relate {place} {other['entry']:.8}`"
        say(f"{counts}: {other['text']} ({hint})", MEMORY_STYLE, err=True)
    _show_hints(last, client)
    return _exit_code(last)


def _show_sources(answer: Plain, client: Client) -> None:
    answer = _in_lines(answer)
    for looked in answer["looked_up"]:
        found = "" if looked["found"] else f" ({looked['outcome']})"
        say(f"Looked up: {looked['asked']}{found}", QUIET_STYLE, err=True)
    for number, used in enumerate(answer["used"], 1):
        entry = used["entry"]
        whose = "shared with everyone" if entry["shared"] else "from you"
        say(f"From memory [{number}]: {entry['text']}", MEMORY_STYLE, err=True)
        say(f"  {used['reason']} ({whose}, {entry['since']:.10})", QUIET_STYLE, err=True)
    for skipped in answer["skipped"]:
        if skipped["reason"] in _KEPT_BACK:
            say(f"{skipped['reason']} ({skipped['entry']['text']})", MEMORY_STYLE, err=True)
            hint = f"`{client.prefix}resume {skipped['entry']['entry']:.8}`"
            say(f"  {hint} has it used again.", QUIET_STYLE, err=True)


def _show_hints(answer: Plain, client: Client) -> None:
    """Print error, question, proposals and how to correct."""
    for text in filter(None, (answer["error"], answer["asks"])):
        say(text, TROUBLE_STYLE, err=True)
    if answer["state"] != "answered":
        return
    for fact in answer["proposed"]:
        triple = f"{fact['subject']} · {fact['relation']} · {fact['object']}"
        hint = f"`{client.prefix}decide keep --number {fact['number']}`"
        say(f"On your fact sheet? {triple} ({hint})", MEMORY_STYLE, err=True)
    say(f"Not what you meant? `{client.prefix}clarify` and what you meant.", QUIET_STYLE, err=True)


def _show_plain(name: str, result: Plain) -> None:
    """Print a result value by value, and list items on lines of their own."""
    if "secret" in result:
        say(result["secret"])
        say(f"It is not shown again; `revoke {result['id']}` ends it.", QUIET_STYLE, err=True)
        return
    if all(value in (0, []) for value in result.values()):
        say("There is nothing.", QUIET_STYLE, err=True)
        return
    for key, value in ({"entries": [result]} if "applies" in result else result).items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for number, row in enumerate(value if key == "turns" else _in_lines(value), 1):
                said = " → ".join(dict.fromkeys((row.get("question", ""), row.get("text", ""))))  # facts repeat it
                cells = {name: _cell(one) if isinstance(one, list) else one for name, one in row.items()}
                say(_LINES[name if key == "result" else key].format_map({"number": number, "said": said, **cells}))
        elif key in {"sentence", "result"}:
            say(_cell(value))
        elif not (key in _FOR_PROGRAMS or isinstance(value, bool) or value in ("", [], {}, None)):
            say(f"{key.replace('_', ' ')}: {_cell(value)}")


def _in_lines(value: Any) -> Any:
    """Collapse white space in all texts of plain data, so that no text looks like a further row."""
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

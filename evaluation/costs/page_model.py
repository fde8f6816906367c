"""A model to measure with: an OpenAI-compatible server that writes at a steady pace, and says when.

Whoever is no person who asks wants further keys for a clarification, and gets made-up ones at once.

python -m evaluation.costs.page_model PORT WORDS PACE
"""

import asyncio
import json
import re
import sys
from contextlib import suppress
from itertools import islice
from time import time_ns
from zlib import crc32

from evaluation.costs.synthetic import questions

_PARAGRAPH = 25  # words
_DONE = b"data: [DONE]\n\n"
_ASKED = re.compile(r"person (\d+)")


async def _serve(port: int, words: int, pace: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # whoever went away
            await written(reader, writer)

    async def written(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", head)
        body = json.loads(await reader.readexactly(int(length[1]) if length else 0))
        asked = str(body["messages"][-1]["content"])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        if found := _ASKED.findall(asked):
            await words_to(found[-1], writer)
        else:
            writer.write(_piece(_keys(asked), "stop") + _DONE)
        await writer.drain()
        writer.close()

    async def words_to(person: str, writer: asyncio.StreamWriter) -> None:
        writer.write(_piece("<understanding>You want to hear words.</understanding>\n<answer>"))
        due = asyncio.get_running_loop().time()
        for number in range(words):
            due += pace
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            between = " " if number % _PARAGRAPH else "\n\n"
            writer.write(_piece(f"{between}p{person}t{time_ns()}"))
            await writer.drain()
        writer.write(_piece("</answer>", "stop") + _DONE)

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=512)
    async with server:
        await server.serve_forever()


def _keys(asked: str) -> str:
    """As many keys as a model is asked for, the same for the same clarification."""
    phrase, *paraphrases = islice(questions(crc32(asked.encode())), 7)
    lines = (f"<paraphrase>{text}</paraphrase>" for text in paraphrases)
    return "\n".join((f"<phrase>{phrase}</phrase>", *lines))


def _piece(text: str, end: str | None = None) -> bytes:
    chunk = {
        "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "measured",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": end}],
    }  # fmt: skip
    return f"data: {json.dumps(chunk)}\n\n".encode()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # whoever stops the measurement at the keyboard stops this with it
        asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))

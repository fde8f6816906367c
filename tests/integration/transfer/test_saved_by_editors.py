"""An export saved by an editor imports with all checksums, and damage is reported by line."""

from io import BytesIO

import pytest

from assistant.errors import InputError
from memory_store.transfer.export_format import build_manifest, read_records, seal_line

pytestmark = pytest.mark.promise("editors-files-are-read")

RECORDS = [{"type": "title", "conversation": f"c{number}", "title": title} for number, title in enumerate("éसਸ🙂")]
LINES = [seal_line(record) for record in RECORDS]
WRITTEN = "".join(f"{line}\n" for line in (build_manifest(LINES, "none"), *LINES))
MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "content",
    [
        MARK + WRITTEN.replace("\n", "\r\n").encode(),
        b"\n \r\n" + WRITTEN.encode() + b"\r\n\n\t\n",
        WRITTEN.encode().rstrip(),
    ],
)
def test_export_saved_by_an_editor_comes_in(content: bytes) -> None:
    records = read_records(BytesIO(content))
    assert [record["title"] for record in records.values()] == [*"éसਸ🙂"]


def test_damaged_line_is_named_by_its_number() -> None:
    damaged = "\n\n" + WRITTEN.replace("\n", "\n\n").replace("स", "x")
    with pytest.raises(InputError, match="Line 7 "):
        read_records(BytesIO(MARK + damaged.encode()))
    with pytest.raises(InputError):
        read_records(BytesIO(WRITTEN.encode("utf-16")))
    for content in (b"", b"\n\n"):
        with pytest.raises(InputError, match="not an export"):
            read_records(BytesIO(content))
    with pytest.raises(InputError, match="missing"):
        read_records(BytesIO(MARK + b"\n".join(WRITTEN.encode().splitlines()[:-1])))

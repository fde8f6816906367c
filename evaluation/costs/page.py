"""What the page costs: the load of many readers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from evaluation.command_parts import show_table
from evaluation.costs.page_load import Load, directly, measure, through_the_page
from evaluation.costs.processes import DidNotStart, server
from evaluation.costs.timing import machine
from memory_store.embedding.embedder import NONE

BAR = 50.0
"""What the page may add to a word, in milliseconds."""
MEASURED = "openai/measured"
"""The model that `model_server` runs, as in the setting."""
PACE = 0.1  # seconds between two words: ten updates a second
_WORDS = 200


@dataclass(frozen=True, slots=True)
class Measured:
    direct: Load  # the model, read directly
    page: Load  # the same, read through the page

    @property
    def added_p95(self) -> float:
        """Milliseconds that the page adds to a word."""
        return self.page.p95 - self.direct.p95

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"machine": machine(), "added_p95": self.added_p95}


def load(people: int) -> Measured:
    """How late words are with so many people at once: read directly, and through the page."""
    with TemporaryDirectory(prefix="noted-page-") as home, model_server() as model:
        alone = measure(people, directly(model))
        environment = {
            "NOTED_HOME": home, "NOTED_EMBEDDER": NONE,
            "NOTED_MODEL": MEASURED, "NOTED_API_BASE": model, "NOTED_API_KEY": "none", "NOTED_PROXIES": "127.0.0.1",
            "NOTED_TURNS_PER_MINUTE": "100000", "NOTED_ANSWERS_AT_ONCE": str(2 * people + 8),
        }  # fmt: skip
        with server(["app.py", "serve", "--port", "{port}"], environment) as (page, _):
            told = measure(1, through_the_page(page))  # one whole answer, so that what is loaded once is loaded
            if told.errors:
                raise DidNotStart(f"The page does not answer: {told.errors[0]}")
            return Measured(alone, measure(people, through_the_page(page)))


@contextmanager
def model_server() -> Iterator[str]:
    """The address of a model that runs meanwhile (`evaluation.costs.page_model`)."""
    with server(["-m", "evaluation.costs.page_model", "{port}", str(_WORDS), str(PACE)], {}) as (address, _):
        yield address


def show(measured: Measured) -> None:
    """Print it, with the bars beside it."""
    console = Console()
    loads = (measured.direct, measured.page)
    rows: list[tuple[object, ...]] = [
        ("words", *(f"{load.words:,}" for load in loads)),
        ("p50, ms", *(f"{load.p50:.1f}" for load in loads)),
        ("p95, ms", *(f"{load.p95:.1f}" for load in loads)),
        ("p95 with beginnings, ms", *(f"{load.all_p95:.1f}" for load in loads)),
        ("crossed", *(load.crossed for load in loads)),
        ("errors", *(len(load.errors) for load in loads)),
    ]
    title = f"{measured.page.people} readers, ten words a second to each"
    show_table(title, ("read directly", "through the page"), rows)
    console.print(
        "Milliseconds from the model's writing of a word to its arrival, while all are being answered; beginnings: "
        "also while some still begin or have ended. The page updates ten times a second: where a word waits for that, "
        "the wait is counted."
    )
    kept = "kept" if measured.added_p95 <= BAR and not measured.page.errors else "NOT kept"
    console.print(f"Added to a word, p95: {measured.added_p95:.1f} ms (at most {BAR:.0f} ms: {kept})")
    for error in sorted(set(measured.page.errors)):
        console.print(error, style="red", markup=False)

"""What fills a store with triples for measurements."""

from contextlib import closing
from pathlib import Path

from assistant.papers.memllm.sheet import Outcome, Query
from evaluation.costs.filling import fill_with_triples, made_up_triples
from evaluation.store_filling import settings_in
from memory_store.language.word_translation import READINGS
from memory_store.store import open_store
from tests.support.memory.store import ANN, LetterPairs


def test_all_of_them_can_be_asked_for(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    fill_with_triples(settings, 50, LetterPairs(), ANN)
    with closing(open_store(settings.ledger, settings.index, LetterPairs(), READINGS)) as store:
        assert [len(entry.body.triples) for entry in store.memory.entries(ANN)] == [10, 20, 20]  # type: ignore[attr-defined]
        for told in made_up_triples(50):
            found = store.sheet.read(Query(told.subject, told.relation, ""), ANN)
            assert found.outcome is Outcome.FOUND
            assert told in [row.triple for row in found.rows]
        assert store.verify(lambda _: None).is_right

"""Study questions without a language model, from the sentence that answers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

from assistant.language.languages import Languages
from assistant.reasoning.words import ENGLISH, Words
from assistant.selection.draft_scores import ROUND_TRIP, SIZE
from assistant.selection.ngram import Fold, NGrams, likeness
from assistant.selection.round_trip import Allow, RoundTrip
from assistant.selection.scorer import Sample, Scorer
from assistant.selection.study.by_model import NGRAMS
from assistant.selection.study.english import english_questions
from assistant.selection.study.indic import indic_questions
from assistant.selection.study.passages import Passage, nearest
from assistant.teachme.calls import Calls
from assistant.text.sentences import sentences_of

_ALIKE = 0.5  # so like must an answer be to the one that a question is to have


@dataclass(frozen=True, slots=True)
class WritesByRule:
    """Implements `Writes`: the forms that a question about a sentence can have. It takes no call.

    Where an answer is given, they are those whose answer is like it. For the round trip, a question is answered from
    the sentence that has most of its words: as that would be asked about, or else by the whole of it.
    """

    words: Words
    fold: Fold

    @classmethod
    def of(cls, languages: Languages) -> Self:
        """For what is known of these languages."""
        return cls(Words(languages), languages.fold)

    def calls(self, count: int) -> int:  # noqa: ARG002
        return 0

    judging = calls

    def __call__(self, passage: Passage, count: int, calls: Calls) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        wanted, pairs = passage.answer, self._pairs(passage.sentence)
        if not wanted:
            return [*islice(pairs, count)]
        near = [(self._alike(answer, wanted), question) for question, answer in pairs]
        best = sorted((one for one in near if one[0] >= _ALIKE), key=lambda one: -one[0])
        return [(question, wanted) for _, question in best[:count]]

    def scorers(self, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:  # noqa: ARG002
        return {NGRAMS: NGrams(SIZE, self.fold), ROUND_TRIP: RoundTrip(self._answers, self._alike)}

    def _pairs(self, sentence: str) -> Iterator[tuple[str, str]]:
        is_english = self.words.language(sentence) == ENGLISH
        return english_questions(sentence) if is_english else indic_questions(sentence, self.words)

    def _answers(self, samples: Sequence[Sample]) -> Sequence[str]:
        sentences = {sample.context: sentences_of(sample.context) for sample in samples}
        told = [(one.text, sentences[one.context]) for one in samples]
        nearest_ones = [(question, some[nearest([question], some, self.fold)[0]]) for question, some in told]
        return [dict(self._pairs(sentence)).get(question, sentence) for question, sentence in nearest_ones]

    def _alike(self, answer: str, wanted: str) -> float:
        return likeness(self.fold(answer), self.fold(wanted))

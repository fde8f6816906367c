"""Study questions without a language model, from the sentence that answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

from assistant.language.languages import Languages
from assistant.reasoning.words import ENGLISH, Words
from assistant.selection.draft_scores import ROUND_TRIP, SIZE
from assistant.selection.ngram import Fold, NGrams, likeness, ngrams, share
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

    Where an answer is given, they are those whose answer is like it. For the round trip, a question is answered by the
    sentence that has most of its words.
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
        sentence, wanted = passage.sentence, passage.answer
        is_english = self.words.language(sentence) == ENGLISH
        pairs = english_questions(sentence) if is_english else indic_questions(sentence, self.words)
        if not wanted:
            return [*islice(pairs, count)]
        near = [(likeness(self.fold(answer), self.fold(wanted)), question) for question, answer in pairs]
        best = sorted((one for one in near if one[0] >= _ALIKE), key=lambda one: -one[0])
        return [(question, wanted) for _, question in best[:count]]

    def scorers(self, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:  # noqa: ARG002
        return {NGRAMS: NGrams(SIZE, self.fold), ROUND_TRIP: RoundTrip(self._answers, self._shared)}

    def _answers(self, samples: Sequence[Sample]) -> Sequence[str]:
        sentences = {sample.context: sentences_of(sample.context) for sample in samples}
        told = [sentences[sample.context] for sample in samples]
        return [some[nearest(one.text, some, self.fold)] for some, one in zip(told, samples, strict=True)]

    def _shared(self, answer: str, wanted: str) -> float:
        return share(ngrams(self.fold(wanted), 1), ngrams(self.fold(answer), 1))

"""Made-up questions and clarifications in mixed languages, without end. The same seed makes the same ones."""

from collections.abc import Iterator
from itertools import count
from random import Random

from evaluation.decide.benchmark import Stored

_WORDS = {
    "word": "quick happy brave enormous gloomy honest tidy fragile ancient clever stubborn gentle bitter hollow "
    "vivid narrow sudden loyal humble fierce pagal sundar chhota lamba tez garam thanda sasta mehnga "
    "purana naya mushkil aasan ਸੋਹਣਾ ਵੱਡਾ ਨਿੱਕਾ अच्छा बुरा सुंदर",
    "thing": "table court match bank bill charge board chart light plant spring trunk pitch crane mouse screen key "
    "case file cell train band ring drive seat kagaz dukaan gaana khana paani gaddi kitaab chai dawai "
    "kapde कमरा किताब गाड़ी ਪਾਣੀ ਰੋਟੀ ਗੱਡੀ",
    "place": "Delhi Mumbai Amritsar Goa Pune Chennai Kolkata Jaipur Ludhiana Madrid Lima Leeds Boston office ghar "
    "school station market hospital airport gaon mandir gurdwara बाज़ार शहर ਪਿੰਡ",
    "person": "mummy papa Rahul Simran Priya Arjun boss landlord doctor teacher didi bhaiya dost padosi chacha nani "
    "Maria Karthik Ananya मामा दादी ਵੀਰ",
    "time": "today tomorrow tonight later soon monday friday weekend kal parso abhi subah shaam raat agle-hafte "
    "kal-raat अगले-महीने ਅੱਜ ਭਲਕੇ",
    "act": "book cancel explain translate find compare describe summarize fix write send check batao samjhao "
    "likho dekho bhejo dhundo बताओ समझाओ ਦੱਸੋ ਲਿਖੋ",
}
_SLOTS = {name: words.split() for name, words in _WORDS.items()} | {"number": [str(number) for number in range(2, 400)]}
_FORMS = (
    "what is akin to {word} ?",
    "can you {act} the {thing} for {person}",
    "{act} the {word} {thing} near {place} for {time}",
    "how do I {act} {number} {thing}s before {time}",
    "is the {thing} in {place} {word} or not",
    "what did {person} mean by {word} {thing}",
    "why is my {thing} so {word} {time}, {person} asked",
    "give me {number} ideas for a {word} {thing}",
    "{word} ka matlab kya hai jab {person} {place} mein bole",
    "{word} jaisa koi aur shabd {act}",
    "{person} ko {time} {place} se {thing} kaise bheju",
    "mera {thing} {number} din se {word} hai, kya karu",
    "{time} {place} jana hai, {thing} {act} please",
    "kya {person} ka {thing} {place} mein {word} milega",
    "{word} varga hor shabad dasso te {thing} {act}",
    "{person} da {thing} kithe hai {place} vich {time}",
    "mainu {number} {word} {thing} chahide ne {place} ton",
    "{thing} ਦਾ ਮਤਲਬ {act}, {person} ਨੇ {place} ਵਿੱਚ ਕਿਹਾ ਸੀ {time}",
    "{place} में {word} {thing} {time} कहाँ मिलेगा",
    "{person} ने {number} {thing} क्यों मांगे",
    "क्या {word} {thing} {place} से {time} आ सकता है",
    "puedes {act} el {thing} de {person} en {place} para {time}",
    "remind {person} about the {thing} at {number} {place} road",
    "{number} {thing} {time} tak {place} pahunch jayenge kya",
)


def questions(seed: int) -> Iterator[str]:
    """Yield questions without end. Some come twice, as those of people do."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    while True:
        form = random.choice(_FORMS)
        yield form.format_map({name: random.choice(words) for name, words in _SLOTS.items()})


_SAID = (
    "I meant: {meant}",
    "no, I want to know this: {meant}",
    "mera matlab tha: {meant}",
    "nahi, main yeh pooch raha tha: {meant}",
    "mera matlab si: {meant}",
    "मेरा मतलब था: {meant}",
    "ਮੇਰਾ ਮਤਲਬ ਸੀ: {meant}",
)


def clarifications(seed: int, owner: str) -> Iterator[Stored]:
    """Yield clarifications of one user without end, no two of the same question."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    texts = questions(seed)
    for number in count(1):
        said = random.choice(_SAID).format(meant=next(texts))
        misunderstood = f"You want to know: {next(texts)}"
        yield Stored(number, (f"{next(texts)} {number}",), said, misunderstood, owner=owner)

"""Whatever imports this has read all word lists, which takes a second: of a word that none has, each is asked."""

from memory_store.language.questions import same_question

same_question("what is qqzzx", "what is xzzqq")

"""Importing this reads all word lists, which takes a second, by a lookup of an unknown word."""

from memory_store.language.questions import same_question

same_question("what is qqzzx", "what is xzzqq")

"""Importing this reads all word lists, which takes a second, by a lookup of an unknown word."""

from memory_store.language.question_similarity import is_same_question

is_same_question("what is qqzzx", "what is xzzqq")

"""The experiments of MemPrompt (Madaan et al., EMNLP 2022, sections 3.3 and 4), replayed on Noted itself.

A stream is one person (or some) who asks the questions of a task, and says now and then what they meant; a memory is
the assistant of the app, behind the doors that the page uses, with other parts.
"""

"""The experiments of MemPrompt (Madaan et al., EMNLP 2022, sections 3.3 and 4), replayed on Noted itself.

    tasks      questions that are misunderstood, and what a person would say to put them right
    person     somebody who asks them, and now and then says so
    memories   what becomes of what was said: nothing, a growing prompt, the lookup of the paper, Noted
    stream     one person (or some) asking one question after the other
    measures   what comes of it

The loop is that of the app, behind the doors that the page uses; a memory is that assistant with other parts.
"""

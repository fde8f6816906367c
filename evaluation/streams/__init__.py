"""What the experiments share: streams of questions that a task asks and a teacher has something to say about.

An experiment is a folder of its own: a task, a teacher, the assistant of the app with other parts where it wants them,
and a `commands.py` with its plans.
"""

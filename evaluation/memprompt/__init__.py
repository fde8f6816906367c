"""MemPrompt: streams of questions from a simulated user who corrects, with each kind of memory."""

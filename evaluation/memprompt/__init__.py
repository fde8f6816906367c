"""MemPrompt: streams of questions of a simulated user who corrects, with every memory."""

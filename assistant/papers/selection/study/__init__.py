"""Questions about a text, of which several are written each time and the best is kept: the paper's own task."""

"""Other embedders than the bundled one: some to try with, and how well the gate does with one that it never saw."""

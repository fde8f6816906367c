"""Processes for tests, forked from a server that has imported what they need, so that each is there at once.

The server never uses what it imported: LanceDB cannot be forked once it works.
"""

from __future__ import annotations

import multiprocessing

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["tests.support.flips", "tests.support.killed", "lancedb"])

"""What the garbage collector leaves alone, in a process of its own."""

import subprocess
import sys

SCRIPT = """
import gc
from ui.server.process import spare_what_is_loaded

gc.collect()
gc.disable()  # a collection comes where it is asked for only
spare_what_is_loaded()
print(gc.get_freeze_count())
import xmlrpc.client  # stands for what is loaded late
gc.collect()
print(gc.get_freeze_count())
kept = [[] for _ in range(1000)]
gc.collect(0)
gc.collect()
print(gc.get_freeze_count(), gc.is_tracked(kept))
"""


def test_modules_are_set_aside_after_the_first_look_and_what_comes_later_is_not() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    before, loaded, later, tracked = run.stdout.split()
    assert int(before) < 1_000 < int(loaded)
    assert int(later) <= int(loaded)
    assert tracked == "True"

"""Markers of tests by path: those in NIGHTLY run in `make nightly` only."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
NIGHTLY = ("slow", "postgres", "durability", "attack", "browser", "quality")
"""Markers that exclude a test from the gate, except in the black-box suite."""
MARKED: Mapping[str, str] = {
    "tests/ui/browser": "browser",
    "tests/ui/attacks": "attack",
    "tests/integration/ledger": "durability",
    "tests/integration/index/test_index_damage.py": "durability",
    "tests/integration/forgetting/test_forgetting_cut_off.py": "durability",
    "tests/integration/evaluation": "quality",
    "tests/integration/embedder": "slow",
    "tests/integration/conversation/test_ways_of_asking.py": "quality",
    "tests/integration/index/test_shared_index.py": "durability",
    "tests/integration/index/test_what_is_down_comes_back.py": "durability",
    "tests/integration/app/test_environment.py": "slow",
    "tests/integration/app/test_container.py": "slow",
    "tests/integration/transfer/test_hostile_traces.py": "slow",
    "tests/unit/evaluation": "quality",
    "tests/unit/assistant/models/test_embedded": "quality",
    "tests/unit/test_patterns.py": "slow",
    "tests/integration/expnote/test_drafting.py": "slow",
    "tests/integration/expnote/test_practice": "slow",
    "tests/integration/index/test_index_follows_ledger.py": "slow",
    "tests/integration/memllm/test_kept_triples.py": "slow",
    "tests/integration/memllm/test_looking.py": "slow",
    "tests/integration/selection/test_models_that_draft.py": "slow",
    "tests/integration/sheet/test_names_follow.py": "slow",
    "tests/ui/server/test_many_people.py": "slow",
    "tests/integration/characters": "slow",
    "tests/integration/conversation/test_orders_in_notes.py": "attack",
    "tests/integration/conversation/test_nothing_foreign.py": "slow",
    "tests/integration/forgetting/test_retention.py": "slow",
    "tests/integration/forgetting/test_forgetting_repeated.py": "slow",
    "tests/integration/model/test_privacy.py": "attack",
    "tests/integration/teachme/test_thinking.py": "slow",
    "tests/ui/server/test_doors.py": "slow",
    "tests/ui/actions/test_limits.py": "slow",
    "tests/ui/page/test_examples.py": "slow",
    "tests/ui/page/test_wiring.py": "slow",
    "tests/ui/server/test_proxies.py": "slow",
    "tests/integration/conversation/test_further_keys.py": "slow",
    "tests/integration/teachme/test_why.py": "slow",
}
"""Marker by prefix of a test's path."""
_BY_FIXTURE = {"windows": "browser", "postgres": "postgres"}


def marks_of(path: str, fixtures: Collection[str] = ()) -> Iterable[str]:
    """Return the markers of a test by its path below the root and its fixtures."""
    by_path = (mark for prefix, mark in MARKED.items() if path.startswith(prefix))
    return {*by_path, *(mark for fixture, mark in _BY_FIXTURE.items() if fixture in fixtures)}

"""The reliability picture of the gate, as SVG: of the candidates with so much probability, how many are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tools.gate_regression import Outcome, bins, calibration_error

_SIZE, _GAP, _MARGIN = 200, 60, 40


def reliability(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """One panel per calibration; points on the diagonal are right, and larger ones stand for more questions."""
    panels = [_panel(number, title, _joined(some)) for number, (title, some) in enumerate(outcomes.items())]
    width = 3 * (_SIZE + _GAP) + _MARGIN
    height = -(-len(panels) // 3) * (_SIZE + _GAP) + _MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    title = "<title>How often the gate is right when it is so sure, on questions that it was not fitted on</title>"
    return "\n".join([head, title, f'<rect width="{width}" height="{height}" fill="#fff"/>', *panels, "</svg>", ""])


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    return Outcome(
        np.concatenate([outcome.probability for outcome in outcomes]),
        np.concatenate([outcome.right for outcome in outcomes]),
    )


def _panel(number: int, title: str, outcome: Outcome) -> str:
    left, top = _MARGIN + (number % 3) * (_SIZE + _GAP), _MARGIN + (number // 3) * (_SIZE + _GAP)
    most = max(count for count, _, _ in bins(outcome))
    points = [
        f'<circle cx="{_SIZE * said:.1f}" cy="{_SIZE * (1 - true):.1f}" r="{3 + 9 * (count / most) ** 0.5:.1f}" '
        'fill="#3b5bdb" fill-opacity="0.7">'
        f"<title>{count} questions: {said:.2f} sure, {true:.2f} right</title></circle>"
        for count, said, true in bins(outcome)
    ]
    ticks = [
        f'<text x="{_SIZE * share}" y="{_SIZE + 14}" font-size="10" text-anchor="middle">{share:g}</text>'
        f'<text x="-6" y="{_SIZE * (1 - share) + 4}" font-size="10" text-anchor="end">{share:g}</text>'
        for share in (0, 0.5, 1)
    ]
    error = f"{title}: error {calibration_error(outcome):.3f}"
    return "\n".join(
        [
            f'<g transform="translate({left},{top})">',
            f'<text x="0" y="-10" font-size="12">{error}</text>',
            f'<rect width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#868e96"/>',
            f'<path d="M0 {_SIZE} L{_SIZE} 0" stroke="#adb5bd" stroke-dasharray="4"/>',
            *points,
            *ticks,
            "</g>",
        ]
    )

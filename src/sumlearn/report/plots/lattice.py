"""The hypotheses of a version space, in the order of generality."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figure import Figure, Item, Line, Mark, Panel, Points

MOST_DRAWN = 40  # hypotheses


def lattice(space: Any) -> Figure:
    """Every member of a version space, those that ask for less above; lines lead to the next more general ones.

    `space` is a `VersionSpace`, or a learner that holds one as ``statistic_``, with at most 40 members.

    >>> from sumlearn.learners.concepts import Attributes, VersionSpace
    >>> attributes = Attributes(("sky", "wind"), (("clear", "grey"), ("strong", "weak")), (False, False))
    >>> found = lattice(VersionSpace.of(attributes, [("clear", "weak")], [("grey", "strong")]))
    >>> [item.text for item in found.panels[0].items if hasattr(item, "text")]
    ['<clear, weak>', '<?, weak>', '<clear, ?>']
    """
    space = getattr(space, "statistic_", space)
    space.refuse_nothing()
    if space.size > MOST_DRAWN:
        raise ValueError(
            f"the space has {space.size} hypotheses, at most {MOST_DRAWN} are drawn: learn more rows first"
        )
    members = space.members()
    floors = heights(members)
    place: dict[Any, tuple[float, float]] = {}
    for floor in sorted(set(floors)):
        here = [h for h, f in zip(members, floors, strict=True) if f == floor]
        place |= {h: (k - (len(here) - 1) / 2.0, float(floor)) for k, h in enumerate(here)}
    items: list[Item] = [
        Line(np.array([place[a][0], place[b][0]]), np.array([place[a][1], place[b][1]]), "", "quiet", "solid", 1.0)
        for a in members
        for b in members
        if b > a and not any(b > c > a for c in members)
    ]
    least, most = set(space.S), set(space.G)
    kinds = {"S, least general": least, "G, most general": most - least, "between": set(members) - least - most}
    for color, (label, own) in enumerate(kinds.items()):
        if own:
            x, y = np.array([place[h] for h in members if h in own]).T
            items.append(Points(x, y, label, color))
            items += [Mark(*place[h], str(h), color, "above") for h in members if h in own]
    wide = max(abs(x) for x, _ in place.values()) + 0.7
    high = max(floors)
    panel = Panel(
        tuple(items), "", "", x_range=(-wide, wide), y_range=(-0.5, high + 0.6), x_ticks=(), y_ticks=(), legend="above"
    )
    across = max(floors.count(floor) for floor in floors)
    longest = max(len(str(h)) for h in members)
    size = min(max(6.0, 0.09 * longest * across), 24.0), 1.6 + 1.1 * (high + 1)
    return Figure((panel,), f"Version space: {len(members)} hypotheses", size=size)


def heights(members: list[Any]) -> list[int]:
    """How long the longest chain below each member is."""
    found: dict[Any, int] = {}

    def height(h: Any) -> int:
        if h not in found:
            found[h] = 1 + max((height(other) for other in members if h > other), default=-1)
        return found[h]

    return [height(h) for h in members]

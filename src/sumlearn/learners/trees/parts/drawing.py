"""Trees as text and as pictures."""

from __future__ import annotations

from html import escape

import numpy as np

from .tree import Tree
from .wording import Wording

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d", "#ff9da6", "#bab0ac")
BESIDE, BELOW, BOX, ROOM = 14, 66, 40, 12  # between boxes, between depths, height of a box, margin
LETTER = 6.6  # width of one, at 12 pixels
LONGEST = 34  # letters of a line


def as_text(tree: Tree, words: Wording, max_depth: int | None = None) -> str:
    """A line for each branch, indented by depth; leaves tell what they say (weight/weight of other classes)."""
    if tree.is_leaf[0]:
        return words.leaf(tree, 0)
    lines: list[str] = []
    work = [(0, branch) for branch in reversed(range(len(tree.below(0))))]
    sentences = {0: words.branches(tree, 0)}
    while work:
        node, branch = work.pop()
        child, depth = int(tree.below(node)[branch]), int(tree.depth[node])
        line = "|   " * depth + sentences[node][branch]
        hidden = max_depth is not None and depth + 1 >= max_depth and not tree.is_leaf[child]
        if tree.is_leaf[child] or hidden:
            lines.append(f"{line}: {words.leaf(tree, child)}" + (" ..." if hidden else ""))
            continue
        lines.append(line)
        sentences[child] = words.branches(tree, child)
        work.extend((child, branch) for branch in reversed(range(len(tree.below(child)))))
    return "\n".join(lines)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def as_svg(tree: Tree, words: Wording, max_depth: int | None = None) -> str:
    """A picture that needs nothing else: boxes of nodes, coloured by what they say, and the answers between them."""
    deepest = tree.max_depth if max_depth is None else max_depth
    shown: list[int] = np.flatnonzero(tree.depth <= deepest).tolist()
    last = {k for k in shown if tree.is_leaf[k] or tree.depth[k] >= deepest}
    lines = {k: box_lines(tree, words, k, k in last) for k in shown}
    answers: dict[int, str] = {}
    for k in shown:
        if k not in last:
            for child, text in zip(tree.below(k).tolist(), words.branches(tree, k), strict=True):
                answers[child] = shortened(text)
    width = {k: LETTER * max(map(len, [*texts, answers.get(k, "")])) + 16 for k, texts in lines.items()}
    middle, right = placed(tree, shown, last, width)
    height = ROOM + int(tree.depth[shown].max()) * (BOX + BELOW) + BOX + ROOM
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:.0f} {height}" width="{right:.0f}" '
        f'height="{height}" font-family="sans-serif" font-size="12" role="img" aria-label="decision tree">'
    ]
    for k in shown:
        top = ROOM + int(tree.depth[k]) * (BOX + BELOW)
        if k in answers:
            above = int(tree.parent[k])
            out.append(
                f'<path d="M{middle[above]:.1f} {top - BELOW}C{middle[above]:.1f} {top - BELOW / 2} {middle[k]:.1f} '
                f'{top - BELOW / 2} {middle[k]:.1f} {top - 20}" fill="none" stroke="#888"/>'
            )
    for k in shown:
        top = ROOM + int(tree.depth[k]) * (BOX + BELOW)
        fill, strength = colour_of(tree, k)
        if k in answers:
            out.append(
                f'<text x="{middle[k]:.1f}" y="{top - 8}" text-anchor="middle" fill="#333" paint-order="stroke" '
                f'stroke="#fff" stroke-width="4">{escape(answers[k])}</text>'
            )
        out.append(
            f'<rect x="{middle[k] - width[k] / 2:.1f}" y="{top}" width="{width[k]:.1f}" height="{BOX}" rx="6" '
            f'fill="{fill}" fill-opacity="{strength:.2f}" stroke="{fill}"/>'
        )
        for line, text in enumerate(lines[k]):
            weight = ' font-weight="bold"' if line == 0 else ""
            out.append(
                f'<text x="{middle[k]:.1f}" y="{top + 16 + 15 * line}" text-anchor="middle" fill="#111"{weight}>'
                f"{escape(text)}</text>"
            )
    return "".join([*out, "</svg>"])


def box_lines(tree: Tree, words: Wording, node: int, is_last: bool) -> list[str]:
    """What stands in a box: the column that is asked about or what the leaf says, and shares of the classes."""
    mass = tree.weighted_n_node_samples[node]
    if words.classes is None:
        says = ", ".join(f"{value:.4g}" for value in tree.value[node, :, 0])
        below = f"weight {mass:.6g}"
    else:
        says = words.labels(tree, node)
        below = f"{tree.value[node].max(axis=1).mean():.0%} of {mass:.6g}"
    if is_last:
        return [shortened(says) + ("" if tree.is_leaf[node] else " …"), below]
    return [shortened(f"{words.names[int(tree.feature[node])]} ?"), shortened(f"{says}, {below}")]


def colour_of(tree: Tree, node: int) -> tuple[str, float]:
    """Of classes the colour of the largest, stronger the purer; of numbers darker the larger; by the first target."""
    if tree.value.shape[2] > 1:
        shares = tree.value[node, 0]
        least = 1.0 / len(shares)
        return COLOURS[int(shares.argmax()) % len(COLOURS)], 0.12 + 0.5 * float((shares.max() - least) / (1.0 - least))
    values = tree.value[:, 0, 0]
    spread = float(values.max() - values.min())
    return COLOURS[0], 0.1 + 0.5 * (float(values[node] - values.min()) / spread if spread > 0 else 0.0)


def placed(
    tree: Tree, shown: list[int], last: set[int], width: dict[int, float]
) -> tuple[dict[int, float], float]:
    """The middle of every box: leaves side by side, nodes over the middle of what is below, none over another.

    And the width of the picture.
    """
    middle: dict[int, float] = {}
    ends: dict[int, float] = {}  # how far the boxes of a depth reach
    right = float(ROOM)
    order = sorted(shown, key=lambda k: (-int(tree.depth[k]), k))
    leaves = [k for k in leaves_in_order(tree) if k in last]
    for k in leaves:
        middle[k] = right + width[k] / 2
        right += width[k] + BESIDE
    for k in order:
        if k not in last:
            below = [middle[int(child)] for child in tree.below(k)]
            middle[k] = 0.5 * (below[0] + below[-1])
    for depth in range(int(tree.depth[shown].max()) + 1):
        row = sorted((k for k in middle if tree.depth[k] == depth), key=lambda k: middle[k])
        for k in row:
            least = ends.get(depth, float(ROOM) - BESIDE) + BESIDE + width[k] / 2
            middle[k] = max(middle[k], least)
            ends[depth] = middle[k] + width[k] / 2
    return middle, max(ends.values()) + ROOM


def leaves_in_order(tree: Tree) -> list[int]:
    """Nodes from left to right as they are met going down."""
    work, found = [0], []
    while work:
        node = work.pop()
        found.append(node)
        work.extend(map(int, reversed(tree.below(node))))
    return found

"""A picture of a graph: nodes in layers, each below what it reads."""

from __future__ import annotations

from html import escape
from typing import Any

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 190, 46, 26, 44, 24
COLOURS = {"Data": "#dbeafe", "Const": "#e5e7eb", "NetOutput": "#dcfce7"}
OTHER = "#fef3c7"


def layers(nodes: list[dict[str, Any]]) -> list[list[int]]:
    """The places of nodes by layer: 0 for what reads nothing, else one more than the deepest input."""
    place = {node["name"]: index for index, node in enumerate(nodes)}
    depth = [0] * len(nodes)
    for index, node in enumerate(nodes):  # producers come first
        sources = [place[source[0]] for source in node["inputs"] if source]
        depth[index] = max((depth[source] + 1 for source in sources), default=0)
    result: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for index, layer in enumerate(depth):
        result[layer].append(index)
    return result


def results(node: dict[str, Any]) -> str:
    """Dtypes and shapes of a node's outputs; ? for what isn't known before the graph runs."""
    forms = [(form["dtype"], form["shape"]) for form in node["outputs"]]
    return ", ".join(f"{dtype or '?'} {'?' if shape is None else shape}" for dtype, shape in forms)


def draw(title: str, nodes: list[dict[str, Any]]) -> str:
    """The text of an SVG file."""
    rows = layers(nodes)
    broadest = max((len(row) for row in rows), default=1)
    width = 2 * MARGIN + broadest * (WIDTH + GAP_X)
    height = 2 * MARGIN + len(rows) * (HEIGHT + GAP_Y) + 24
    position: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        left = (width - len(row) * (WIDTH + GAP_X) + GAP_X) / 2
        for column, index in enumerate(row):
            top = MARGIN + 24 + number * (HEIGHT + GAP_Y)
            position[nodes[index]["name"]] = (left + column * (WIDTH + GAP_X), top)
    edges, boxes = [], []
    for node in nodes:
        x, y = position[node["name"]]
        for source in node["inputs"]:
            if source:
                a, b = position[source[0]]
                edges.append(
                    f'<path d="M{a + WIDTH / 2:.0f} {b + HEIGHT} C{a + WIDTH / 2:.0f} {b + HEIGHT + 22} '
                    f'{x + WIDTH / 2:.0f} {y - 22} {x + WIDTH / 2:.0f} {y}"/>'
                )
        form = results(node)
        boxes.append(
            f"<g><title>{escape(node['name'])}: {escape(form)}</title>"
            f'<rect x="{x:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
            f'fill="{COLOURS.get(node["type"], OTHER)}"/>'
            f'<text x="{x + WIDTH / 2:.0f}" y="{y + 19}" class="t">{escape(node["type"])}</text>'
            f'<text x="{x + WIDTH / 2:.0f}" y="{y + 36}" class="s">{escape(form[:34])}</text></g>'
        )
    style = (
        "rect{stroke:#6b7280}path{fill:none;stroke:#9ca3af}text{font-family:sans-serif;text-anchor:middle}"
        ".t{font-size:13px;font-weight:600}.s{font-size:10px;fill:#374151}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><style>{style}</style>'
        f'<text x="{width / 2:.0f}" y="{MARGIN}" class="t">{escape(title)}</text>'
        f"{''.join(edges)}{''.join(boxes)}</svg>\n"
    )

"""Boxes and arrows in layers, as SVG: a small drawing of an acyclic graph.

Graphviz would draw it as well. But pip cannot install it, and `tape.draw` works wherever tfcompat does.
"""

import html

CHARACTER, LINE, PADDING = 7.0, 15, 8   # width of a character, height of a line, around the text: in pixels
GAP_X, GAP_Y, MARGIN = 18, 34, 12
STYLE = """
svg.tfcompat { font: 12px ui-monospace, Menlo, Consolas, monospace; }
.tfcompat text { text-anchor: middle; fill: #1b1f24; } .tfcompat .small { font-size: 10px; fill: #57606a; }
.tfcompat path { fill: none; stroke: #8c959f; stroke-width: 1.2; }
.tfcompat rect { stroke: #57606a; fill: #f6f8fa; } .tfcompat .folded rect { fill: #eaeef2; stroke-dasharray: 4 2; }
.tfcompat .variable rect { fill: #dafbe1; stroke: #2da44e; } .tfcompat .tensor rect { fill: #ddf4ff; stroke: #218bff; }
.tfcompat .target rect { fill: #fff1e5; stroke: #d4722c; stroke-width: 2; }
"""


class Box:
    """A box: lines of text, the first one large; a class for its colour; a longer text shown under the mouse."""

    def __init__(self, lines, kind, title=""):
        self.lines, self.kind, self.title = lines, kind, title
        self.width = max(len(line) for line in lines) * CHARACTER + 2 * PADDING
        self.height = len(lines) * LINE + PADDING
        self.layer, self.x = 0, 0.0


class _Bend(Box):
    """Where a long arrow passes a layer."""

    def __init__(self, layer):
        super().__init__([""], "bend")
        self.width, self.layer = 4.0, layer


def svg(boxes, arrows):
    """The picture.

    Args:
      boxes: list of Box, so ordered that arrows go forward.
      arrows: set of (i, j), from box i to box j.

    Returns:
      str, an svg element.
    """
    layers, segments, routes = _layers(boxes, sorted(arrows))
    _order(layers, segments)
    width = _place(layers, segments)
    heights = [max((box.height for box in layer), default=0) for layer in layers]
    tops, y = [], MARGIN
    for height in heights:
        tops.append(y)
        y += height + GAP_Y
    total = y - GAP_Y + MARGIN if layers else 2 * MARGIN
    parts = [_arrow(route, tops, heights) for route in routes]
    parts += [_box(box, tops[box.layer]) for box in boxes]
    marker = (
        '<marker id="tfcompat-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<polygon points="0 0, 8 4, 0 8" fill="#8c959f"/></marker>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tfcompat" width="{width:.0f}" height="{total:.0f}" '
        f'viewBox="0 0 {width:.0f} {total:.0f}"><style>{STYLE}</style><defs>{marker}</defs>'
        '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>\n'
        + "\n".join(parts) + "\n</svg>\n"
    )  # fmt: skip


def _layers(boxes, arrows):
    """The boxes by layer, the arrows cut at layers between, and each arrow as the list of what it passes."""
    into: dict = {}
    out: dict = {}
    for i, j in arrows:
        into.setdefault(j, []).append(i)
        out.setdefault(i, []).append(j)
    for j, box in enumerate(boxes):
        box.layer = 1 + max((boxes[i].layer for i in into.get(j, ())), default=-1)
    for i, box in enumerate(boxes):
        if i in out and i not in into:  # a source stands right above what first uses it
            box.layer = max(0, min(boxes[j].layer for j in out[i]) - 1)
    layers: list = [[] for _ in range(1 + max((box.layer for box in boxes), default=-1))]
    for box in boxes:
        layers[box.layer].append(box)
    segments, routes = [], []
    for i, j in arrows:
        route = [boxes[i]]
        for layer in range(boxes[i].layer + 1, boxes[j].layer):
            bend = _Bend(layer)
            layers[layer].append(bend)
            route.append(bend)
        route.append(boxes[j])
        segments += zip(route, route[1:], strict=False)
        routes.append(route)
    return layers, segments, routes


def _neighbours(segments):
    above: dict = {}
    below: dict = {}
    for a, b in segments:
        above.setdefault(id(b), []).append(a)
        below.setdefault(id(a), []).append(b)
    return above, below


def _order(layers, segments):
    """Orders each layer by the middle of its neighbours, so that fewer arrows cross."""
    above, below = _neighbours(segments)
    for sweep in range(6):
        place = {id(box): k for layer in layers for k, box in enumerate(layer)}
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            near = above if down else below
            middle = {}
            for box in layer:
                places = [place[id(other)] for other in near.get(id(box), ())]
                middle[id(box)] = sum(places) / len(places) if places else place[id(box)]
            layer.sort(key=lambda box: middle[id(box)])
            place.update({id(box): k for k, box in enumerate(layer)})


def _place(layers, segments):
    """Gives each box its x, near its neighbours; returns the width of the picture."""
    above, below = _neighbours(segments)
    for layer in layers:
        x = 0.0
        for box in layer:
            box.x = x + box.width / 2
            x += box.width + GAP_X
    for sweep in range(8):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            near = above if sweep % 2 == 0 else below
            wanted = []
            for box in layer:
                places = [other.x for other in near.get(id(box), ())]
                wanted.append(sum(places) / len(places) if places else box.x)
            _spread(layer, wanted)
    left_edge = min((box.x - box.width / 2 for layer in layers for box in layer), default=0)
    for layer in layers:
        for box in layer:
            box.x += MARGIN - left_edge
    return MARGIN + max((box.x + box.width / 2 for layer in layers for box in layer), default=MARGIN)


def _spread(layer, wanted):
    """Puts boxes as near to where they are `wanted` as their order and widths allow."""
    x = float("-inf")
    for box, want in zip(layer, wanted, strict=True):
        box.x = max(want, x + box.width / 2)
        x = box.x + box.width / 2 + GAP_X
    # What was pushed right goes back by half of it.
    shift = sum(box.x - want for box, want in zip(layer, wanted, strict=True)) / max(1, len(layer))
    for box in layer:
        box.x -= shift


def _arrow(route, tops, heights):
    points = []
    for k, box in enumerate(route):
        top = tops[box.layer]
        if k == 0:
            points.append((box.x, top + box.height))
        elif k == len(route) - 1:
            points.append((box.x, top))
        else:
            points += [(box.x, top), (box.x, top + heights[box.layer])]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        middle = (y0 + y1) / 2
        path += f" C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    return f'<path d="{path}" marker-end="url(#tfcompat-tip)"/>'


def _box(box, top):
    x = box.x - box.width / 2
    lines = []
    for k, line in enumerate(box.lines):
        small = ' class="small"' if k else ""
        y = top + PADDING / 2 + LINE * k + 11
        lines.append(f'<text{small} x="{box.x:.1f}" y="{y:.1f}">{html.escape(line)}</text>')
    title = f"<title>{html.escape(box.title)}</title>" if box.title else ""
    return (
        f'<g class="{box.kind}">{title}<rect x="{x:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height}" '
        f'rx="4"/>{"".join(lines)}</g>'
    )

"""What was measured, as text, as a table for a page, and as a picture."""

from benchmarks import peers


def amount(value, unit):
    """A number with its unit, in three digits or so; None is seconds a step."""
    if unit == "%":
        return f"{value:.2f} %"
    if unit is not None:
        return f"{value:,.3g} {unit}" if abs(value) < 100 else f"{value:,.0f} {unit}"
    for size, symbol in ((1.0, "s"), (1e-3, "ms")):
        if value >= size:
            return f"{value / size:.3g} {symbol}"
    return f"{1e6 * value:.3g} µs"


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}" if ratio < 1000 else f"{ratio:,.0f}"


def brief(reason):
    """Of a traceback the last line; the whole of it is in the JSON."""
    return reason.strip().splitlines()[-1]


def text(name, measured):
    """One workload, a line a peer."""
    rows, unit = measured["peers"], measured["unit"]
    rounds = max((len(row["times"]) for row in rows.values()), default=0)
    stepwise = unit is None
    header = f"{f'rounds: {rounds}':44}{'median':>10}{'lowest':>10}{'highest':>10}{'/ jax.jit':>11}"
    lines = [f"{name}: {measured['title']}", header + ("   first step" if stepwise else "")]
    for peer, row in rows.items():
        times = "".join(f"{amount(row[key], unit):>10}" for key in ("median", "low", "high"))
        ratio = f"{ratio_text(row['ratio']) if 'ratio' in row else '':>11}"
        first = f"{amount(row['first_step_seconds'], None):>13}" if stepwise else ""
        compiled = row.get("compiled_while_timed")
        note = f"   compiled {compiled} programs while timed" if compiled else ""
        lines.append(f"{peers.PEERS[peer].title:44}{times}{ratio}{first}{note}")
    for why, prefix in ((measured["missing"], "not here"), (measured["failed"], "FAILED")):
        lines += [f"{peers.PEERS[peer].title:44}    {prefix}: {brief(reason)}" for peer, reason in why.items()]
    return "\n".join(lines)


def markdown(everything):
    """All workloads in one table: the limit's own time, of the others ratios to it, or times where it is missing."""
    found = {peer for measured in everything["workloads"].values() for peer in measured["peers"]}
    columns = [peer for peer in peers.PEERS if peer in found and peer != peers.LIMIT]
    lines = [
        "| | " + " | ".join([*(peers.PEERS[peer].title for peer in columns), peers.PEERS[peers.LIMIT].title]) + " |",
        "|---|" + "---|" * (len(columns) + 1),
    ]
    reasons = []

    def cell(measured, peer):
        row = measured["peers"].get(peer)
        if row is None:
            reason = measured["missing"].get(peer) or brief(measured["failed"].get(peer, "not chosen"))
            if reason not in reasons:
                reasons.append(reason)
            return f"– ({reasons.index(reason) + 1})"
        if "ratio" in row and peer != peers.LIMIT:
            return ratio_text(row["ratio"])
        return amount(row["median"], measured["unit"])

    for name, measured in everything["workloads"].items():
        if measured["peers"]:
            cells = [cell(measured, peer) for peer in [*columns, peers.LIMIT]]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", *(f"({number}) {reason}  " for number, reason in enumerate(reasons, 1))]
    return "\n".join(lines).rstrip() + "\n"


def picture(everything, path):
    """Bars of ratios to the limit, on a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    shown = {
        name: {peer: row["ratio"] for peer, row in measured["peers"].items() if row.get("ratio", 0) > 0}
        for name, measured in everything["workloads"].items()
    }
    shown = {name: rows for name, rows in shown.items() if len(rows) > 1}
    columns = [peer for peer in peers.PEERS if peer != peers.LIMIT and any(peer in rows for rows in shown.values())]
    colours = dict(zip(columns, (f"C{n}" for n in range(10)), strict=False))
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.16 * (len(columns) + 2) * len(shown)))
    for i, rows in enumerate(shown.values()):
        for k, peer in enumerate(columns):
            if peer in rows:
                # From 1 on, so that a bar to the left is faster than the limit.
                place = i * (len(columns) + 2) + k
                axes.barh(place, rows[peer] - 1, left=1, height=0.9, color=colours[peer])
                text_at = max(rows[peer], 1) * 1.05
                axes.text(text_at, place, ratio_text(rows[peer]), va="center", fontsize=6)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    middles = [i * (len(columns) + 2) + (len(columns) - 1) / 2 for i in range(len(shown))]
    axes.set_yticks(middles, list(shown))
    axes.invert_yaxis()
    axes.set_xlabel("time, as a multiple of hand-written jax.jit (logarithmic; shorter is better)")
    axes.grid(axis="x", which="major", alpha=0.3)
    axes.set_axisbelow(True)
    handles = [Patch(color=colours[peer]) for peer in columns]
    axes.legend(handles, [peers.PEERS[peer].title for peer in columns], loc="lower center",
                bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)  # fmt: skip
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)

"""Writes the map of storeys in DESIGN.md: `python -m tests.architecture.render_map`."""

from .imports import PACKAGE, ROOT, storeys

DESIGN = ROOT / "DESIGN.md"
BEGIN, END = "<!-- storeys -->\n", "<!-- /storeys -->"


def rendered():
    """The map as a table, from the ground up."""
    lines = ["| storey | folders | what it holds |", "|---|---|---|"]
    for storey in storeys():
        rooms = ", ".join(f"`{_path(room)}`" for room in storey["rooms"])
        lines.append(f"| {storey['name']} | {rooms} | {storey['holds']} |")
    return "\n".join(lines) + "\n"


def _path(room):
    if room == "face":
        return "__init__.py"
    return f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py"


def main():
    before, _, rest = DESIGN.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    DESIGN.write_text(before + BEGIN + rendered() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()

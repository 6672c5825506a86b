"""Builds the site: the guide, its notebooks and examples, and the API reference from the docstrings, as static pages.

    pip install -e '.[docs]'
    python migration_guide/site/build.py [FOLDER]

FOLDER is build/site by default; FOLDER/index.html is the first page. A warning of Sphinx is an error, and so is a link
in the finished pages that leads nowhere. With `--only tf.linalg tf.nest` the reference has these namespaces only, which
takes seconds.
"""

import argparse
import base64
import html.parser
import json
import pathlib
import posixpath
import re
import shutil
import sys
import tempfile
import urllib.parse

SITE = pathlib.Path(__file__).resolve().parent
GUIDE = SITE.parent
ROOT = GUIDE.parent
sys.path.insert(0, str(SITE))

import reference  # noqa: E402

# Pages of the guide in the order of the menu, others after them.
PAGES = """
    tape second_order custom_gradients functions variables random saving serving bring_your_model training keras3
    performance jax debugging devices public_programs differences coverage
""".split()
PAGES += sorted({path.stem for path in GUIDE.glob("*.md")} - {"index", *PAGES})
OTHERS = {
    "DESIGN.md": "DESIGN.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "benchmarks/results/cpu.md": "benchmarks.md",
    "benchmarks/results/notes.md": "measurements.md",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]*)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
ANCHOR = re.compile(r'^<a id="([^"]*)"></a>$', re.MULTILINE)


def write_sources(folder, tf, only=None):
    """Writes the sources that Sphinx reads.

    Args:
      folder: pathlib.Path.
      tf: the package.
      only: list of the namespaces in the reference; all by default.
    """
    found = reference.Reference(tf)
    if only:
        found.keep(only)
    notebooks = sorted(path.stem for path in (GUIDE / "notebooks").glob("[0-9]*.ipynb"))
    pages = _Pages(folder, found, {"migration_guide/index.md": _menus([f"notebooks/{name}" for name in notebooks])})
    for name in ("index", *PAGES):
        pages.add(f"migration_guide/{name}.md")
    for path in OTHERS:
        pages.add(path)
    for name in notebooks:
        pages.add(f"migration_guide/notebooks/{name}.ipynb")
    (folder / "api.md").write_text(found.index(), encoding="utf-8")
    (folder / "reference").mkdir()
    for space in found.namespaces:
        (folder / "reference" / f"{space}.md").write_text(found.page(space), encoding="utf-8")
    for name in ("conf.py", "style.css"):
        shutil.copy(SITE / name, folder)


def _menus(notebooks):
    menus = {
        "Guide": PAGES,
        "Notebooks": notebooks,
        "Reference": ["api"],
        "Inside": [target.removesuffix(".md") for target in OTHERS.values()],
    }
    return "".join(
        "\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```\n"
        for caption, pages in menus.items()
    )


class _Pages:
    """Copies files of the repository into the sources, and what their links lead to."""

    def __init__(self, folder, found, additions):
        self.folder, self.reference, self.copied = folder, found, set()
        self.additions = additions  # from paths to what comes at their ends

    def add(self, path):
        """Adds a file, given by its path in the repository; returns the path of its page, None if it cannot be one."""
        source, page = ROOT / path, _page_of(path)
        if page is None or not source.is_file():
            return None
        if path in self.copied:
            return page
        self.copied.add(path)
        target = self.folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in (".png", ".svg"):
            shutil.copy(source, target)
        elif source.suffix == ".py":
            code = source.read_text(encoding="utf-8")
            orphan = "---\norphan: true\n---\n"
            target.write_text(f"{orphan}# {source.name}\n\n```python\n{code.rstrip()}\n```\n", encoding="utf-8")
        else:
            text = source.read_text(encoding="utf-8")
            if source.suffix == ".ipynb":
                text = _notebook_as_markdown(text, target)
            title = "" if re.search("^# ", text, re.MULTILINE) else f"# {target.stem.capitalize()}\n\n"
            target.write_text(title + self._adapted(text, path) + self.additions.get(path, ""), encoding="utf-8")
        return page

    def _adapted(self, text, path):
        """Markdown for Sphinx: anchors as targets, links to pages of the site, names linked to the reference."""
        text = ANCHOR.sub(r"(\1)=", text)
        # Drawings stay as text: the extension that draws them loads a script from another site.
        text = text.replace("```mermaid\n", "```text\n")
        parts = FENCE.split(text)
        for number in range(0, len(parts), 2):
            parts[number] = LINK.sub(lambda match: self._link(match, path), parts[number])
        return self.reference.link_names("".join(parts))

    def _link(self, match, path):
        target, _, anchor = match["target"].partition("#")
        if "://" in target:
            return match[0]
        if anchor and target.endswith("differences.md") or not target:
            return f"[{match['text']}](#{anchor})"
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        page = self.add(there)
        if page is None:
            # A picture of a notebook's; else a folder, or a file that is not on the site.
            return match[0] if match["image"] else match["text"]
        relative = posixpath.relpath(page, posixpath.dirname(_page_of(path)) or ".")
        return f"{match['image']}[{match['text']}]({relative}{'#' + anchor if anchor else ''})"


def _page_of(path):
    """Where a file of the repository is among the sources."""
    place = pathlib.PurePosixPath(OTHERS.get(path, path.removeprefix("migration_guide/")))
    if place.suffix in (".ipynb", ".py"):
        return str(place.with_suffix(".md"))
    return str(place) if place.suffix in (".md", ".png", ".svg") else None


def _notebook_as_markdown(text, target):
    """The cells of a notebook with their outputs; pictures are written beside `target`."""
    parts, pictures = [], 0
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```ipython3\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            kind = next((kind for kind in ("image/svg+xml", "image/png") if kind in data), None)
            if kind:
                pictures += 1
                content = "".join(data[kind])
                name = f"{target.stem}-{pictures}.{'png' if kind == 'image/png' else 'svg'}"
                (target.parent / name).write_bytes(
                    base64.b64decode(content) if kind == "image/png" else content.encode("utf-8")
                )
                parts.append(f"![What the cell draws]({name})")
            else:
                said = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
                if parts[-1].startswith("```text\n"):
                    said = parts.pop().removeprefix("```text\n").removesuffix("\n```") + "\n" + said
                parts.append(f"```text\n{said}\n```")
    return "\n\n".join(parts) + "\n"


# --- links ------------------------------------------------------------------------------------------------------------


class _Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets = set(), set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.targets.add(value)


def broken_links(folder):
    """The links in the pages of a folder that lead to no file, or to no place in it, as a list of texts."""
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path.resolve()] = parser = _Links()
        parser.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, page in pages.items():
        for target in sorted(page.targets):
            address, _, place = target.partition("#")
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            place = urllib.parse.unquote(place)
            if not there.exists() or place and there in pages and place not in pages[there].ids:
                broken.append(f"{path.relative_to(folder.resolve())}: {target}")
    return broken


def build(folder, only=None):
    """Builds the site into a folder, whose content goes. Returns a list of complaints, empty if all is well."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / ".buildinfo").exists():
            return [f"{folder} holds something else than the site: name another folder"]
        shutil.rmtree(folder)
    from sphinx.cmd.build import main as sphinx

    import tfcompat

    with tempfile.TemporaryDirectory() as scratch:
        sources = pathlib.Path(scratch, "sources")
        sources.mkdir()
        write_sources(sources, tfcompat, only)
        options = ["-b", "html", "-n", "-W", "--keep-going", "-q", "-j", "auto", "-d", f"{scratch}/read"]
        if sphinx([*options, str(sources), str(folder)]):
            return ["Sphinx complains, see above"]
    return [f"link leads nowhere: {link}" for link in broken_links(folder)]


def main(arguments=None):
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=ROOT / "build" / "site", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", metavar="NAMESPACE", help="leave the other namespaces out")
    options = parser.parse_args(arguments)
    complaints = build(options.folder, options.only)
    pages = len(list(options.folder.rglob("*.html")))
    print("\n".join(complaints) or f"{options.folder / 'index.html'}: {pages} pages")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

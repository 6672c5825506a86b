"""The guide: programs print what the pages show, every page is found from the index, links lead somewhere."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

import tfcompat
from documents import _pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "migration_guide"
RENDERED = {"coverage.md", "differences.md"}
ELSEWHERE = RENDERED | {"index.md"}  # whose programs test_documents.py runs
PAGES = sorted(page for page in GUIDE.glob("*.md") if page.name not in ELSEWHERE and _pages.programs(page))
ALONE = {"performance.md"}  # shows what is compiled, which depends on what a process has run before
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^):#]*)(?:#(?P<anchor>[^)]*))?\)")


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """Runs a page in an empty folder; list of what its programs print."""
    monkeypatch.chdir(tmp_path)

    def run(page):
        if page.name in ALONE:
            command = [sys.executable, _pages.__file__, "--json", str(page)]
            done = subprocess.run(command, text=True, capture_output=True, timeout=300)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)
        tfcompat.keras.backend.clear_session()
        tfcompat.install()
        try:
            return list(_pages.printed(page))
        finally:
            tfcompat.uninstall()
            tfcompat.engine.debug(False)
            tfcompat.config.set_execution("deferred")
            tfcompat.keras.backend.clear_session()

    return run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_print_what_the_page_shows(page, printed):
    programs = _pages.programs(page)
    assert any(program["output"] for program in programs)
    for program, got in zip(programs, printed(page), strict=True):
        assert _pages.agrees(got, program), f"{program[0]}\nprints\n{got}"


@pytest.mark.parametrize("page", [*PAGES, GUIDE / "index.md"], ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for match in LINK.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / match["target"] if match["target"] else page
        assert target.exists(), match[0]
        if match["anchor"]:
            assert match["anchor"] in _anchors(target), match[0]


def test_every_page_is_linked_from_the_index():
    targets = {match["target"] for match in LINK.finditer((GUIDE / "index.md").read_text(encoding="utf-8"))}
    assert {page.name for page in PAGES} - targets == set()
    assert targets >= RENDERED


def _anchors(page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]*)">', text))

"""README, design and guide: programs print what the pages show, paths and names exist, rendered pages are current."""

import pathlib
import re
import runpy
import subprocess
import sys
from types import SimpleNamespace

import pytest

import tfcompat

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE, GUIDE = ROOT / "tfcompat", ROOT / "migration_guide"
# Names in DESIGN's journey that its files do not define.
OF_OTHERS = set("matmul numpy print float if jit vjp gradient eval_shape".split())
renderer = SimpleNamespace(**runpy.run_path(str(GUIDE / "render_differences.py")))
coverage = SimpleNamespace(**runpy.run_path(str(GUIDE / "render_coverage.py")))
PAGES = [ROOT / "README.md", GUIDE / "index.md"]
# A program, at most one line of text, and what the program prints.
PROGRAM = re.compile(
    r"```python\n(?P<code>.*?)```\n+(?:(?!```)[^\n]+\n+)?```text\n(?P<output>.*?)```", re.DOTALL
)
DESIGN, NOTES = ROOT / "DESIGN.md", ROOT / "benchmarks" / "results" / "notes.md"
# A file or a folder in backticks, below the root of the repository or of the package. `build/` is made by commands.
PATH = re.compile(r"`(?!build/)((?:\w+/)+(?:\w+(?:\.\w+)?)?|\w+\.py)`")
STEP = re.compile(r"^\d+\. .*(?:\n {3,4}\S.*)*", re.MULTILINE)
NAME = re.compile(r"`(?:\w+\.)?([A-Za-z_]\w+)`")
LINK = re.compile(r"\]\((?P<target>[^)#:]+)(?:#[^)]*)?\)")


def programs():
    for page in PAGES:
        for number, match in enumerate(PROGRAM.finditer(page.read_text(encoding="utf-8"))):
            yield pytest.param(match["code"], match["output"], id=f"{page.name}-{number}")


@pytest.mark.parametrize(("code", "output"), list(programs()))
def test_program_prints_what_the_page_shows(tmp_path, code, output):
    # As a user would: `import tfcompat as tf` plainly, `import tensorflow as tf` through the runner.
    (tmp_path / "program.py").write_text(code)
    runner = ["-m", "tfcompat", "run"] if "import tensorflow" in code else []
    command = [sys.executable, *runner, "program.py"]
    done = subprocess.run(command, text=True, capture_output=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_shows_a_program_and_its_output(page):
    assert PROGRAM.search(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_links_to_are_there(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert targets
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", [PAGES[0], DESIGN, NOTES], ids=lambda page: page.name)
def test_paths_that_a_page_names_exist(page):
    paths = set(PATH.findall(page.read_text(encoding="utf-8")))
    assert [path for path in sorted(paths) if not any((root / path).exists() for root in (ROOT, PACKAGE))] == []


def test_names_in_the_journey_are_defined_in_the_files_it_names():
    journey = DESIGN.read_text(encoding="utf-8").partition("## The journey")[2].partition("\n## ")[0]
    steps = STEP.findall(journey)
    assert len(steps) == 14
    paths = [path for path in set(PATH.findall(journey)) if path.endswith(".py")]
    code = "\n".join((PACKAGE / path).read_text(encoding="utf-8") for path in paths)
    names = {name for step in steps for name in NAME.findall(step)} - OF_OTHERS
    assert len(names) > 15
    assert [name for name in sorted(names) if not re.search(rf"\b(def|class) {name}\b", code)] == []


def test_design_is_read_in_ten_minutes():
    text = re.sub("<!-- storeys -->.*<!-- /storeys -->", "", DESIGN.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(text.split()) <= 3000
    glossary = text.partition("## Glossary")[2].partition("\n## ")[0]
    assert glossary.count("\n| ") - 1 <= 25


def test_rendered_differences_are_current():
    expected = renderer.render(renderer.load())
    assert renderer.PAGE.read_text(encoding="utf-8") == expected, "run migration_guide/render_differences.py"


def test_coverage_is_current():
    expected = coverage.render(tfcompat)
    assert coverage.PAGE.read_text(encoding="utf-8") == expected, "run migration_guide/render_coverage.py"


@pytest.mark.usefixtures("execution")
@pytest.mark.parametrize(
    "entry", [pytest.param(e, id=e["id"]) for e in renderer.load() if "program" in e]
)
def test_difference_is_as_described(entry):
    assert renderer.printed(entry["program"], tfcompat) == entry["tfcompat_prints"].strip()
    assert entry["tfcompat_prints"] != entry["tensorflow_prints"]


def test_rates_of_other_libraries_are_current():
    own_tests = runpy.run_path(str(ROOT / "migration_guide" / "public_programs" / "own_tests.py"))
    page = own_tests["PAGE"].read_text(encoding="utf-8")
    assert own_tests["rendered"](page) == page

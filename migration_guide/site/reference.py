"""Pages of the API reference, one for each public namespace, written from the docstrings as MyST Markdown.

An object is described once, under the name in the namespace that it was written for; its other names lead there.
"""

import __future__

import dataclasses
import enum
import importlib
import inspect
import json
import pathlib
import re
import textwrap
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Namespaces of ours, which TensorFlow lacks, and those whose names were not recorded from TensorFlow.
FURTHER = ("tf.engine", "tf.extend", "tf.compat", "tf.compat.v1")
# What a program calls of the engine; the ops call the rest.
OF_ENGINE = ("debug", "explain", "flush", "immediate", "last_program", "programs", "stats")
# Names in these are mostly other names of what is described elsewhere.
SECONDARY = re.compile(
    r"\.(experimental|legacy|compat|raw_ops|backend)\.|^tf\.(initializers|losses|metrics|optimizers)\."
)
SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Attributes|Gradient|TF|Weights|Inputs|Slots):(?: (.*))?$")
ENTRY = re.compile(r"(?P<name>\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (?P<text>.*)$")
TITLES = {"Args": "Arguments", "TF": "TensorFlow", "Slots": "Slot variables"}
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)


@dataclasses.dataclass
class Entry:
    """A public object: the name it is described under, and its other names."""

    name: str
    value: object
    others: list


class Reference:
    """All that is public: `namespaces` is a dict from their names to lists of names in them, `entries` one from every
    dotted name to its Entry."""

    def __init__(self, tf):
        self._tf = tf
        self._current: Entry | None = None  # which is not linked to from its own description
        recorded = json.loads((ROOT / "tfcompat" / "_package" / "tensorflow_names.json").read_text(encoding="utf-8"))
        aliases, modules = recorded["aliases"], recorded["modules"]
        spaces = {*modules, *(name for name, first in aliases.items() if first in modules), *FURTHER}
        importlib.import_module("tfcompat.extend")
        self.modules = {name: module for name in sorted(spaces) if (module := _module(tf, name)) is not None}
        self.namespaces = {
            name: _names(module, modules.get(aliases.get(name, name), ())) for name, module in self.modules.items()
        }
        self.namespaces = {name: names for name, names in self.namespaces.items() if names}
        self.namespaces["tf.engine"] = list(OF_ENGINE)
        self.entries = self._entries()
        self.differences = _differences()
        self._classes = {e.value: e.name for e in self.entries.values() if inspect.isclass(e.value)}

    def keep(self, spaces):
        """Leaves all other namespaces out, and names that are described there."""
        kept = {f"{space}.{name}" for space in spaces for name in self.namespaces[space]}
        self.entries = {name: entry for name, entry in self.entries.items() if entry.name in kept}
        self.namespaces = {s: [n for n in self.namespaces[s] if f"{s}.{n}" in self.entries] for s in spaces}
        self._classes = {cls: name for cls, name in self._classes.items() if name in kept}

    def _entries(self):
        by_object: dict = {}
        for space, names in self.namespaces.items():
            for name in names:
                value = getattr(self.modules[space], name)
                by_object.setdefault(_identity(f"{space}.{name}", value), (value, []))[1].append(f"{space}.{name}")
        found = {}
        for value, names in by_object.values():
            names.sort(key=lambda name: self._rank(name, value))
            entry = Entry(names[0], value, names[1:])
            found.update(dict.fromkeys(names, entry))
        return found

    def _rank(self, name, value):
        """Orders the names of an object: first that in the namespace whose package has its code, then short ones."""
        space = name.rpartition(".")[0]
        package = self.modules[space].__name__
        written_for = package != "tfcompat" and f"{getattr(value, '__module__', '')}.".startswith(f"{package}.")
        secondary = SECONDARY.search(name) is not None
        spelling = getattr(value, "__name__", "") != name.rpartition(".")[2]
        return secondary, spelling, not written_for, name.count("."), len(name), name

    # --- pages --------------------------------------------------------------------------------------------------------

    def page(self, space):
        """The page of a namespace, as text."""
        self._current, module = None, self.modules[space]
        about = (inspect.getdoc(module) or "").strip()
        lines = [f"# {space}", "", self._prose(about), ""]
        kinds: dict = {"Classes": [], "Functions": [], "Constants": [], "Described under other names": []}
        for name in self.namespaces[space]:
            entry = self.entries[f"{space}.{name}"]
            if entry.name != f"{space}.{name}":
                kind = "Described under other names"
            elif not _is_written_here(entry.value):
                kind = "Constants"
            else:
                kind = "Classes" if inspect.isclass(entry.value) else "Functions"
            kinds[kind].append((name, entry))
        for kind, listed in kinds.items():
            if listed:
                lines += [f"## {kind}", "", *[self._listed(name, entry) for name, entry in listed], ""]
        own = [entry for kind in ("Classes", "Functions", "Constants") for _, entry in kinds[kind]]
        if own:
            lines += ["## Reference", ""]
            for entry in own:
                lines += [self._described(entry), ""]
        return "\n".join(lines) + "\n"

    def index(self):
        """The page that lists the namespaces."""
        lines = ["# API reference", ""]
        lines += ["Every public name, as its docstring describes it. [What is there](coverage.md) lists the names that",
                  "TensorFlow has and tfcompat lacks, and [known differences](differences.md) what is otherwise.", ""]
        for space in self.namespaces:
            about = inspect.getdoc(self.modules[space]) or ""
            first = re.sub(r"^`?tf[\w.]*`?(: |\.)", "", about.split("\n\n")[0].replace("\n", " "))
            count = len(self.namespaces[space])
            names = f"{count} {'name' if count == 1 else 'names'}"
            lines.append(f"- [{space}](reference/{space}.md), {names}" + (f": {_escaped(first)}" if first else ""))
        lines += ["", "```{toctree}", ":hidden:", "", *[f"reference/{space}" for space in self.namespaces], "```", ""]
        return "\n".join(lines)

    def _listed(self, name, entry):
        said = _summary(entry.value)
        # A title and target in one: names of arguments and text in roles end at a backquote.
        return f"- {{py:obj}}`{name} <{entry.name}>`" + (f": {self._prose(said)}" if said else "")

    def _described(self, entry):
        value, name = entry.value, entry.name
        self._current = entry
        if not _is_written_here(value):
            return _directive(3, "data", name, [f"`{_shown(value)}`."])
        body, notes = [self._documented(value)], []
        if entry.others:
            notes.append("Also " + ", ".join(f"`{other}`" for other in entry.others) + ".")
        ids = [each for n in (name, *entry.others) for each in self.differences.get(n, ())]
        if ids:
            links = ", ".join(f"[{each}](#{each})" for each in dict.fromkeys(ids))
            notes.append(f"Differs from TensorFlow: {links}.")
        if not inspect.isclass(value):
            return _directive(3, "function", name + _signature(value), [*body, *notes])
        members = self._members(value)
        base = next((self._public(b) for b in value.__mro__[1:] if self._public(b)), None)
        if base:
            notes.append(f"A {{py:obj}}`{base}`, whose members it has, too.")
        kind = "exception" if issubclass(value, BaseException) else "class"
        shown = [_directive(3, *member) for member in members]
        return _directive(4, kind, name + _signature(value), [*body, *notes, *shown])

    def _members(self, cls):
        """The members of a class that no public class above it has: (kind, signature, body) of each."""
        if cls is self._tf.Tensor:
            cls = type(self._tf.constant(0))
        if isinstance(cls, enum.EnumMeta):
            return [("attribute", member, []) for member in cls.__members__]
        names: dict = {}
        for above in cls.__mro__[:-1]:
            if above is not cls and self._public(above) and above is not self._tf.Tensor:
                break
            if above.__module__.startswith("tfcompat"):
                names |= {n: None for n in vars(above) if not n.startswith("_") or n == "__call__"}
        found = []
        for name in names:
            static = inspect.getattr_static(cls, name)
            value = static.__func__ if isinstance(static, classmethod | staticmethod) else static
            text = value.__doc__ if not isinstance(value, type) else None
            if not text or not (callable(value) or isinstance(value, property)):
                continue
            body = [self._documented(value)]
            if isinstance(value, property):
                found.append(("property", name, body))
            else:
                found.append(("method", name + _signature(value, not isinstance(static, staticmethod)), body))
        return sorted(found, key=lambda member: (member[0] == "method", member[1]))

    def _public(self, cls):
        """The public name of a class, or None."""
        return self._classes.get(cls)

    # --- docstrings -----------------------------------------------------------------------------------------------

    def _documented(self, value):
        """A docstring as Markdown: its sections as lists, its doctests as blocks, known names as links."""
        lines, result, at = (inspect.getdoc(value) or "").splitlines(), [], 0
        text: list = []
        while at < len(lines):
            match = SECTION.match(lines[at])
            if match is None:
                text.append(lines[at])
                at += 1
                continue
            result.append(self._text(text))
            text = []
            end = at + 1
            indented = match[2] is None
            while end < len(lines) and (
                lines[end].startswith("  ") or (not lines[end].strip() and indented and _goes_on(lines, end))
                or (not indented and lines[end].strip() and not SECTION.match(lines[end]))
            ):
                end += 1
            result.append(self._section(match[1], match[2], lines[at + 1 : end]))
            at = end
        result.append(self._text(text))
        return "\n\n".join(part for part in result if part)

    def _section(self, title, first, lines):
        title, body = TITLES.get(title, title), textwrap.dedent("\n".join(lines))
        if first is not None:
            return f"**{title}:** " + self._prose(" ".join([first, *body.split("\n")]).strip())
        items, rest = [], []
        for line in body.splitlines():
            match = ENTRY.match(line)
            if match:
                items.append([match["name"], match["text"]])
            elif items and (line.startswith(" ") or not line.strip()):
                items[-1][1] += "\n" + line.strip()
            else:
                rest.append(line)
        if rest or not items:
            return f"**{title}:** " + self._text(body.splitlines())
        shown = [f"- {self._code(name)}: {self._prose(' '.join(text.split()))}" for name, text in items]
        return "\n".join([f"**{title}:**", "", *shown])

    def _text(self, lines):
        """Prose with doctests."""
        parts = []
        for block in re.split(r"\n\s*\n", "\n".join(lines)):
            if block.lstrip().startswith(">>>"):
                parts.append("```pycon\n" + textwrap.dedent(block).strip("\n") + "\n```")
            elif block.startswith("    "):
                parts.append("```python\n" + textwrap.dedent(block).strip("\n") + "\n```")
            elif block.strip():
                parts.append(self._prose(textwrap.dedent(block).strip("\n")))
        return "\n\n".join(parts)

    def _prose(self, text):
        """Text outside of `code` as it stands; code that is a known name as a link to it."""
        pieces, at = [], 0
        for match in CODE.finditer(text):
            pieces += [_escaped(text[at : match.start()]), self._code(match[2], match[1])]
            at = match.end()
        return "".join([*pieces, _escaped(text[at:])])

    def _code(self, text, quote="`"):
        entry = self.entries.get(text.strip())
        if entry is None or entry is self._current:
            return f"{quote}{text}{quote}"
        return f"{{py:obj}}`{text.strip()} <{entry.name}>`"

    def link_names(self, markdown):
        """A page of Markdown with the `tf.names` in its text as links; code blocks, headings and links stay."""
        parts = re.split(r"(^```.*?^```$|^#+ .*$|!?\[[^\]]*\]\([^)]*\))", markdown, flags=re.DOTALL | re.MULTILINE)
        linked = re.compile(r"(?<!`)`(tf\.[\w.]+)`(?!`)")
        return "".join(
            part if number % 2 else linked.sub(lambda match: self._code(match[1]), part)
            for number, part in enumerate(parts)
        )


def _goes_on(lines, at):
    """Whether an indented line follows a blank one."""
    following = next((line for line in lines[at:] if line.strip()), "")
    return following.startswith("  ")


def _module(tf, dotted):
    target = tf
    for part in dotted.split(".")[1:]:
        target = getattr(target, part, None)
        if not isinstance(target, types.ModuleType) or not target.__name__.startswith("tfcompat"):
            return None
    return target


def _names(module, recorded):
    """The public names of a namespace, other modules left out: TensorFlow's, and ours."""
    names = set()
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if name in recorded or _is_ours(module, name, value):
            names.add(name)
    return sorted(names, key=lambda name: (name.lower(), name))


def _is_ours(module, name, value):
    """Whether a name is ours to offer, not an import that a module happens to need."""
    if isinstance(value, __future__._Feature | types.SimpleNamespace) or name == "missing":
        return False
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return name in listed
    if module.__name__ == "tfcompat.extend":
        return True
    if pathlib.Path(module.__file__ or "").name == "__init__.py":
        return callable(value)
    return getattr(value, "__module__", None) == module.__name__ and callable(value)


def _identity(name, value):
    """What tells objects apart: equal numbers and texts under two names are two things."""
    return id(value) if callable(value) or type(value).__module__.startswith("tfcompat") else name


def _differences():
    """Dict from names to the ids of the differences that begin with them."""
    from tfcompat._tools import _verdict

    found: dict = {}
    for entry in _verdict.differences():
        for name, _, _ in _verdict.applies_to(entry["symbol"]):
            found.setdefault(name, []).append(entry["id"])
    return found


def _is_written_here(value):
    """Whether an object is a function or class of the package; others are constants, and NumPy's types."""
    return callable(value) and str(getattr(value, "__module__", "")).startswith("tfcompat")


def _summary(value):
    """The first paragraph of a docstring, on one line."""
    if not _is_written_here(value):
        return ""
    lines = (inspect.getdoc(value) or "").split("\n\n")[0].splitlines()
    end = next((number for number, line in enumerate(lines) if SECTION.match(line)), len(lines))
    return " ".join(" ".join(lines[:end]).split())


def _shown(value):
    """A constant, or the name of a type that is not ours."""
    return f"{value.__module__}.{value.__qualname__}" if isinstance(value, type) else repr(value).replace("`", "'")


class _Default:
    def __init__(self, value):
        text = repr(value)
        if inspect.isfunction(value) or inspect.isclass(value):
            text = value.__name__
        elif isinstance(value, enum.Enum):
            text = str(value)
        self.text = text if "<" not in text and len(text) < 60 else "..."

    def __repr__(self):
        return self.text


def _signature(value, bound=False):
    """`(x, axis=None)`; without the first parameter of a method if `bound`."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return "(...)"
    parameters = parameters[1:] if bound and parameters and parameters[0].name in ("self", "cls") else parameters
    bare = [
        p.replace(annotation=p.empty, default=p.default if p.default is p.empty else _Default(p.default))
        for p in parameters
    ]
    return str(inspect.Signature(bare))


def _escaped(text):
    """Text whose asterisks and angle brackets mean themselves."""
    return re.sub(r"([*\\])", r"\\\1", text).replace("<", "&lt;")


def _directive(colons, kind, argument, body):
    fence = ":" * colons
    return "\n".join([f"{fence}{{py:{kind}}} {argument}", "", "\n\n".join(part for part in body if part), fence])

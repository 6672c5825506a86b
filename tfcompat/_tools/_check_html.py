"""The report of `python -m tfcompat check` as a page that needs nothing from outside."""

import html
import re

from tfcompat._tools import _uses
from tfcompat._tools._summary import STATUSES, summary
from tfcompat._tools._verdict import GUIDE
from tfcompat._version import __version__

STYLE = """
:root { color-scheme: light dark; --line: #8884; --missing: #c0392b; --differs: #b9770e; --supported: #1e8449; }
@media (prefers-color-scheme: dark) { :root { --missing: #ff7b6b; --differs: #f5b041; --supported: #58d68d; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; overflow-wrap: anywhere; margin: 1.6rem 0 .3rem; }
.summary { font-size: 1.15rem; border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem; }
.bar { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; margin: .6rem 0; }
.bar span { display: block; min-width: 2px; }
.bar .supported { background: var(--supported); } .bar .differs { background: var(--differs); }
.bar .missing { background: var(--missing); }
dl { margin: 0; } .name { border-top: 1px solid var(--line); padding: .45rem 0; }
.status { font-size: .8rem; font-weight: 600; text-transform: uppercase; letter-spacing: .03em; }
.missing .status { color: var(--missing); } .differs .status, .slower .status { color: var(--differs); }
.supported .status { color: var(--supported); }
code { font: .9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; } dd { margin: .1rem 0 0 0; }
.source { display: block; opacity: .75; font-size: .85em; white-space: pre-wrap; }
.more { font-size: .85em; opacity: .75; overflow-wrap: anywhere; }
details > summary { cursor: pointer; opacity: .8; }
"""


def as_html(files):
    """The page, as text."""
    counts = {s: sum(file.uses[s] for file in files) for s in ("supported", "differs", "missing")}
    bar = "".join(f'<span class="{s}" style="flex:{n}" title="{n} {s}"></span>' for s, n in counts.items() if n)
    runs = all(file.runs for file in files)
    verdict = "Nothing that these programs use is missing." if runs else "Something that these programs use is missing."
    parts = [
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        f"<title>tfcompat check</title><style>{STYLE}</style></head><body>",
        f"<h1>tfcompat {__version__}: what a port will run into</h1>",
        f'<div class="summary"><div>{_escaped(summary(files))}</div><div class="bar">{bar}</div>{verdict}</div>',
        *[_file(file) for file in files if file.findings or file.packages or file.source.error],
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _file(file):
    source, rows = file.source, []
    if source.error is not None:
        place = f"line {source.place(source.error_line or 1)}"
        rows.append(_row("missing", "not read", place, source.error, ""))
    for package, lines in file.packages.items():
        rows.append(_row("missing", package, "needs TensorFlow", _uses.DEPENDENT[package], _quoted(source, lines)))
    supported = []
    for finding in sorted(file.findings, key=lambda f: STATUSES.index(f.status)):
        status = finding.status + (", caught" if finding.guarded and finding.status == "missing" else "")
        quoted = _quoted(source, finding.lines) + _more(finding.differences)
        row = _row(finding.status, finding.symbol, status, finding.text, quoted)
        (supported if finding.status == "supported" else rows).append(row)
    if supported:
        count = sum(f.status == "supported" for f in file.findings)
        names = "name" if count == 1 else "names"
        rows.append(f"<details><summary>{count} supported {names}</summary><dl>{''.join(supported)}</dl></details>")
    return f"<h2>{_escaped(str(source.path))}</h2><dl>{''.join(rows)}</dl>"


def _row(kind, symbol, status, text, quoted):
    explained = f"<div>{_marked(text)}</div>" if text else ""
    return (
        f'<div class="name {kind}"><dt><code>{_escaped(symbol)}</code> <span class="status">{_escaped(status)}</span>'
        f"</dt><dd>{explained}{quoted}</dd></div>"
    )


def _quoted(source, lines):
    shown = [f"{source.place(line)}: {source.line(line)}" for line in lines[:20]]
    if len(lines) > 20:
        shown.append(f"and {len(lines) - 20} more")
    return f'<code class="source">{_escaped(chr(10).join(shown))}</code>'


def _more(differences):
    """Where the guide says more on differences."""
    places = " ".join(f"{GUIDE}#{each}" for each in differences)
    return f'<div class="more">More: {_escaped(places)}</div>' if places else ""


def _escaped(text):
    return html.escape(text, quote=True)


def _marked(text):
    """Text with `code` in backquotes."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", _escaped(text))

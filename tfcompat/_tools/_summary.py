"""What a check of programs found, in one line."""

import collections

# What becomes of a name, or a place, in the order of reports.
STATUSES = ("missing", "differs", "slower", "supported")


def summary(files):
    """One line: how many uses are supported, differ and are missing."""
    counts = sum((file.uses for file in files), collections.Counter())
    using = [file for file in files if file.uses]
    total = sum(counts.values())
    if not files:
        text = "no scripts or notebooks found"
    elif not total:
        text = f"no use of TensorFlow in {count_of(len(files), 'file')}"
    else:
        text = (
            f"{counts['supported']} of {count_of(total, 'use')} supported; {counts['differs']} differ; "
            f"{counts['missing']} missing"
        )
        if counts["guarded"]:
            text += f"; {counts['guarded']} missing where the error is caught"
        text += f" ({count_of(len(using), 'file')} of {len(files)} with TensorFlow)"
    unread = sum(file.source.error is not None for file in files)
    return text + (f"; {count_of(unread, 'file')} could not be read" if unread else "")


def count_of(number, noun):
    """A number and what is counted, as "3 files"."""
    return f"{number} {noun}" + ("" if number == 1 else "s")

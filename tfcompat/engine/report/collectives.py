"""What devices send each other in a run of a compiled program, read from XLA's text."""

import re
from typing import NamedTuple

_ARRAY = re.compile(r"\b(?:pred|[a-z]+(\d+)[a-z\d]*)\[([\d,]*)\]")
_KINDS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast"
_INSTRUCTION = re.compile(rf"^\s+(?:ROOT )?%?[\w.\-]+ = (.*?) ({_KINDS})(-start)?\((.*)$", re.MULTILINE)
_LISTED = re.compile(r"replica_groups=\{\{([\d,]*)\}")
_COUNTED = re.compile(r"replica_groups=\[\d+,(\d+)\]")


class Collective(NamedTuple):
    """Collectives of one kind in a program.

    Attributes:
      kind: XLA's name, such as "all-reduce".
      devices: int, how many devices combine their values.
      count: int, how many there are.
      bytes: int, size of their results on a device.
      sent: int, bytes that a device sends, if the devices form a ring: 2 (n - 1) / n of what is reduced.
    """

    kind: str
    devices: int
    count: int
    bytes: int
    sent: int


def collectives(hlo, devices):
    """List of Collectives in XLA's text of a program for so many devices, one for each kind and number of devices."""
    sums: dict = {}
    for result, kind, start, rest in _INSTRUCTION.findall(hlo):
        arrays = _ARRAY.findall(result)
        if start and kind != "all-reduce":
            arrays = arrays[len(arrays) // 2 :]  # the operands come first
        group = _LISTED.search(rest) or _COUNTED.search(rest)
        count = devices if group is None else len(group[1].split(",")) if "{" in group[0] else int(group[1])
        if kind == "collective-permute":
            count = devices
        entry = sums.setdefault((kind, count or devices), [0, 0])
        entry[0] += 1
        entry[1] += sum(map(_size, arrays))
    return [
        Collective(kind, n, count, size, round(size * _share(kind, n))) for (kind, n), (count, size) in sums.items()
    ]


def _size(array):
    bits, sizes = array
    size = max(int(bits or 8) // 8, 1)
    for length in filter(None, sizes.split(",")):
        size *= int(length)
    return size


def _share(kind, n):
    """What a device sends, as part of the size of the result."""
    if kind == "collective-permute":
        return 1
    return {"all-reduce": 2 * (n - 1) / n, "reduce-scatter": n - 1}.get(kind, (n - 1) / n)

"""Compares the numbers that a program printed in two runs: python compare.py tensorflow.txt tfcompat.txt"""

import re
import sys

NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]\d+)?|\b(?:nan|inf)\b")
first, second = (
    [line for line in open(path).read().splitlines() if " took " not in line and "[====" not in line]
    for path in sys.argv[1:3]
)
worst, where = 0.0, None
for mine, its in zip(first, second, strict=True):
    assert NUMBER.sub("", mine) == NUMBER.sub("", its), (mine, its)
    for a, b in zip(map(float, NUMBER.findall(mine)), map(float, NUMBER.findall(its)), strict=True):
        difference = abs(a - b) / max(1.0, abs(a))
        if not difference <= worst:
            worst, where = difference, (mine, its)
print(f"{len(first)} lines, largest difference {worst:.1e}", *(where or ()), sep="\n")

"""What devices exchange, read from XLA's text."""

import pytest

from tfcompat.engine.report.collectives import collectives


@pytest.mark.parametrize(
    ("line", "kind", "devices", "size", "sent"),
    [
        ("%r = f32[4,8]{1,0} all-reduce(%x), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=%a", "all-reduce", 4,
         128, 192),
        ("ROOT %r.1 = (f32[4]{0}, pred[]) all-reduce(%x, %y), replica_groups=[1,8]<=[8]", "all-reduce", 8, 17, 30),
        ("%r = bf16[6]{0} all-reduce-start(%x), replica_groups={{0,1},{2,3}}", "all-reduce", 2, 12, 12),
        ("%r = (f32[2]{0}, f32[8]{0}) all-gather-start(%x), replica_groups={{0,1,2,3}}, dimensions={0}", "all-gather",
         4, 32, 24),
        ("%r = s64[2]{0} reduce-scatter(%x), replica_groups={{0,1,2,3}}", "reduce-scatter", 4, 16, 48),
        ("%r = f8e4m3fn[16]{0} all-to-all(%x), replica_groups={}", "all-to-all", 8, 16, 14),
        ("%r = f64[3]{0} collective-permute(%x), source_target_pairs={{0,1},{1,0}}", "collective-permute", 8, 24, 24),
    ],
)  # fmt: skip
def test_of_each_kind(line, kind, devices, size, sent):
    assert collectives(f"ENTRY %main {{\n  {line}\n}}\n", 8) == [(kind, devices, 1, size, sent)]


def test_they_are_counted_once():
    text = """
  %a = f32[2]{0} all-reduce-start(%x), replica_groups={{0,1}}
  %b = f32[2]{0} all-reduce-done(%a)
  %c = f32[4]{0} all-reduce(%b), replica_groups={{0,1}}
  %d = f32[2]{0} fusion(%all-reduce.1), kind=kLoop
"""
    assert collectives(text, 2) == [("all-reduce", 2, 2, 24, 24)]

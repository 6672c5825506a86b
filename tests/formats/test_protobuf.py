"""The codec of protocol buffers. Bytes are those of https://protobuf.dev/programming-guides/encoding/."""

import copy
import enum

import pytest

import tfcompat as tf
from tfcompat._formats.protobuf import DecodeError, Message


class Color(enum.IntEnum):
    RED, BLUE = 1, 2


class Inner(Message):
    NAME = "test.Inner"
    FIELDS = ((1, "a", "int32"),)


class Outer(Message):
    NAME = "test.Outer"
    FIELDS = (
        (1, "number", "int64"), (2, "text", "string"), (3, "inner", Inner), (4, "flag", "bool"), (5, "color", Color),
        (6, "numbers", ["int32"]), (7, "inners", [Inner]), (8, "floats", ["float"]), (9, "names", ["string"]),
        (10, "counts", {"string": "int64"}), (11, "parts", {"string": Inner}), (12, "crc", "fixed32"),
        (13, "size", "uint64"), (14, "one", "int32", "choice"), (15, "other", Inner, "choice"), (16, "time", "double"),
    )  # fmt: skip


class Tree(Message):
    NAME = "test.Tree"


Tree.FIELDS = ((1, "child", Tree), (2, "value", "int32"))


@pytest.mark.parametrize(
    "values, encoded",
    [
        ({}, ""),
        ({"number": 150}, "089601"),
        ({"number": -2}, "08feffffffffffffffff01"),
        ({"number": 0, "flag": False, "text": ""}, ""),
        ({"text": "testing"}, "120774657374696e67"),
        ({"inner": Inner(a=150)}, "1a03089601"),
        ({"inner": {"a": 150}}, "1a03089601"),
        ({"inner": Inner()}, "1a00"),
        ({"flag": True, "color": 2}, "20012802"),
        ({"numbers": [3, 270, 86942]}, "3206038e029ea705"),
        ({"inners": [Inner(a=1), Inner()]}, "3a0208013a00"),
        ({"floats": [1.5, -2]}, "42080000c03f000000c0"),
        ({"names": ["a", ""]}, "4a01614a00"),
        ({"counts": {"a": 1}}, "52050a01611001"),
        ({"parts": {"a": Inner(a=1)}}, "5a070a016112020801"),
        ({"crc": 1, "size": 2**64 - 1}, "650100000068ffffffffffffffffff01"),
        ({"one": 0}, "7000"),
        ({"time": 1.0}, "8101000000000000f03f"),
    ],
)
def test_bytes(values, encoded):
    message = Outer(**values)
    assert message.SerializeToString().hex() == encoded
    again = Outer.FromString(bytes.fromhex(encoded))
    assert again == message == copy.deepcopy(message)
    assert again.SerializeToString().hex() == encoded and message.ByteSize() == len(encoded) // 2


def test_what_others_write():
    unpacked, unknown = b"\x30\x03\x30\x8e\x02", b"\xfa\x01\x01x\xf0\x01\x05"
    assert Outer.FromString(unpacked + unknown).numbers == [3, 270]
    assert Outer.FromString(b"\x08\x01\x08\x02").number == 2
    merged = Outer.FromString(b"\x3a\x00\x1a\x02\x08\x01\x1a\x00\x52\x00")
    assert merged.inner.a == 1 and len(merged.inners) == 1 and merged.counts == {"": 0}


def test_presence():
    message = Outer()
    assert message.number == 0 and message.inner.a == 0 and message.parts == {} and not message.SerializeToString()
    assert not message.HasField("inner") and message.WhichOneof("choice") is None
    message.inner.a = 3
    message.parts["x"].a = 4
    message.inners.add(a=5)
    message.counts["y"] = 6
    assert message.HasField("inner")
    message.one = 0
    assert message.WhichOneof("choice") == "one"
    message.other.a = 1
    assert message.WhichOneof("choice") == "other"
    expected = 'inner {\n  a: 3\n}\ninners {\n  a: 5\n}\ncounts {\n  key: "y"\n  value: 6\n}\n'
    expected += 'parts {\n  key: "x"\n  value {\n    a: 4\n  }\n}\nother {\n  a: 1\n}\n'
    assert str(message) == expected
    assert str(Outer(color=2, text="a\n\u00e9\"", floats=[0.1, 1 / 3], time=0.1)) == (
        'text: "a\\n\u00e9\\""\ncolor: BLUE\nfloats: 0.1\nfloats: 0.333333343\ntime: 0.1\n'
    )
    message.CopyFrom(Outer(number=1))
    assert message == Outer(number=1) != Outer(number=2)
    message.ClearField("number")
    assert message == Outer()


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"\x08", "ends within a number"), (b"\x08" + b"\xff" * 10 + b"\x01", "too long"),
        (b"\x12\x05ab", "longer than the message"), (b"\x65\x01", "longer than the message"), (b"\x0b", "wire type 3"),
        (b"\x0a\x00", "of another type"), (b"\x10\x00", "of another type"), (b"\x12\x01\xff", "utf-8"),
        (b"\x52\x02\x08\x00", "of another type"), (b"\x1a\x01\x08", "ends within a number"),
        (b"\x42\x03abc", "multiple of element size"),
    ],
)  # fmt: skip
def test_damage(data, reason):
    with pytest.raises(DecodeError, match=f"Error parsing message with type 'test.Outer': .*{reason}"):
        Outer.FromString(data)


def test_nesting_has_an_end():
    tree = Tree(value=7)
    for _ in range(100):
        tree = Tree(child=tree)
    assert Tree.FromString(tree.SerializeToString()) == tree
    with pytest.raises(DecodeError, match="nested too deeply"):
        Tree.FromString(Tree(child=tree).SerializeToString())


@pytest.mark.parametrize(
    "values, error, reason",
    [
        ({"nothing": 1}, ValueError, 'no "nothing" field'), ({"number": 1.5}, TypeError, "float"),
        ({"number": 2**63}, ValueError, "out of range"), ({"number": True}, TypeError, "got a boolean"),
        ({"text": 1}, TypeError, "is text"), ({"time": "1"}, TypeError, "must be real number"),
        ({"inner": 1}, TypeError, "must be dict or instance of same class"), ({"numbers": ["a"]}, TypeError, "str"),
        ({"parts": {"a": 1}}, TypeError, "instance of same class"), ({"counts": {1: 1}}, TypeError, "is text"),
    ],
)  # fmt: skip
def test_unfit_values(values, error, reason):
    with pytest.raises(error, match=reason):
        Outer(**values)


def test_unfit_assignments():
    message = Outer()
    for name in ("inner", "numbers", "parts"):
        with pytest.raises(AttributeError, match="Assignment not allowed"):
            setattr(message, name, 1)
    with pytest.raises(AttributeError, match='no "nothing" field'):
        message.nothing = 1
    with pytest.raises(AttributeError):
        print(message.nothing)
    with pytest.raises(ValueError, match="May not set values directly"):
        message.parts["a"] = Inner()
    with pytest.raises(ValueError, match="does not have presence"):
        message.HasField("number")


def test_text_format_of_the_package_protobuf():
    text_format = pytest.importorskip("google.protobuf.text_format")
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        tf.identity(v1.placeholder(tf.float32, [None, 2], name="x") * [1.0, 2.0], name="y")
        tf.constant(["a\n", 'b"'], name="words")
        made = graph.as_graph_def()
    text = text_format.MessageToString(made)
    assert text == str(made)
    for read in (text_format.Parse, text_format.Merge):
        assert read(text, v1.GraphDef()) == made
    with pytest.raises(text_format.ParseError, match='Message type "tensorflow.GraphDef" has no field named "nod"'):
        text_format.Parse("nod {}", v1.GraphDef())
    text = "gpu_options { allow_growth: true } device_count { key: 'CPU' value: 2 }"
    config = text_format.Parse(text, v1.ConfigProto())
    assert config.gpu_options.allow_growth and config.device_count["CPU"] == 2

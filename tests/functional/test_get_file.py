"""`tf.keras.utils.get_file`, of `file:` addresses."""

import hashlib
import io
import pathlib
import tarfile
import zipfile

import pytest

from tfcompat.keras.utils import get_file


@pytest.fixture
def served(tmp_path):
    """(address of a file, its content, keywords that keep what is fetched here)."""
    source = tmp_path / "data.txt"
    source.write_bytes(b"numbers")
    return source, source.as_uri(), {"cache_dir": str(tmp_path / "cache")}


def test_fetches_once(served, capsys):
    source, address, options = served
    path = get_file(origin=address, **options)
    assert path.endswith("cache/datasets/data.txt") and pathlib.Path(path).read_bytes() == b"numbers"
    source.write_bytes(b"others")
    assert get_file("data.txt", address, **options) == path and pathlib.Path(path).read_bytes() == b"numbers"
    assert capsys.readouterr().out.count("Downloading data from file:") == 1
    get_file("data.txt", address, md5_hash=hashlib.md5(b"others").hexdigest(), **options)
    assert pathlib.Path(path).read_bytes() == b"others"
    other = get_file("a.txt", address, cache_subdir="x", file_hash=hashlib.sha256(b"others").hexdigest(), **options)
    assert other.endswith("cache/x/a.txt")


def test_what_is_wrong_leaves_no_file(served, tmp_path):
    _, address, options = served
    with pytest.raises(ValueError, match="Incomplete or corrupted file detected"):
        get_file("b.txt", address, file_hash="0" * 64, **options)
    with pytest.raises(Exception, match="URL fetch failure on file:"):
        get_file(origin=(tmp_path / "none").as_uri(), **options)
    with pytest.raises(ValueError, match='specify the "origin"'):
        get_file("b.txt")
    with pytest.raises(ValueError, match="Can't parse the file name"):
        get_file(origin="file:///", **options)
    assert not list((tmp_path / "cache" / "datasets").iterdir())


def archive(path, name):
    if path.name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(name, b"inside")
    else:
        with tarfile.open(path, "w:gz") as file:
            entry = tarfile.TarInfo(name)
            entry.size = 6
            file.addfile(entry, io.BytesIO(b"inside"))
    return path.as_uri()


def test_archives(tmp_path):
    options = {"cache_dir": str(tmp_path / "cache")}
    packed = get_file(origin=archive(tmp_path / "a.zip", "one.txt"), extract=True, **options)
    assert packed.endswith("a.zip") and (tmp_path / "cache/datasets/one.txt").read_bytes() == b"inside"
    unpacked = get_file("set", archive(tmp_path / "set.tar.gz", "set/two.txt"), untar=True, **options)
    assert unpacked.endswith("datasets/set") and pathlib.Path(f"{unpacked}/two.txt").read_bytes() == b"inside"
    for name in ("bad.zip", "bad.tar.gz"):
        with pytest.raises(ValueError, match="is not unpacked"):
            get_file(origin=archive(tmp_path / name, "../../out.txt"), extract=True, **options)
    assert not list(tmp_path.rglob("out.txt"))

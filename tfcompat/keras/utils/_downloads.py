"""`tf.keras.utils.get_file`: files from the network, kept in a folder."""

import collections
import hashlib
import os
import pathlib
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.parse
import zipfile

from tfcompat._formats.damage import refusing
from tfcompat._formats.whole import Replacing
from tfcompat.keras.callbacks._messages import print_message


def get_file(
    fname=None,
    origin=None,
    untar=False,
    md5_hash=None,
    file_hash=None,
    cache_subdir="datasets",
    hash_algorithm="auto",
    extract=False,
    archive_format="auto",
    cache_dir=None,
):
    """The path of a file, which is fetched if it is not there yet.

    Args:
      fname: str, its name in the folder, or an absolute path; by default the last part of `origin`.
      origin: URL; `file:` is one, too.
      untar: bool, whether the file is a `.tar.gz` to unpack beside it; the result is the path without that ending.
      md5_hash: str, an older name of `file_hash`.
      file_hash: str, what the file's hash must be, in hexadecimal. A file with another is fetched anew.
      cache_subdir: str, folder in `cache_dir`, or an absolute path.
      hash_algorithm: "md5", "sha256", or "auto": by the length of the hash.
      extract: bool, whether to unpack a tar or zip archive into the folder.
      archive_format: "auto", "tar", "zip", or None for no archive.
      cache_dir: path; by default `.keras` in the user's folder, or in that for temporary files if it cannot be written.

    Returns:
      str.

    Raises:
      ValueError: no `origin`, or no name in it; the hash of what was fetched is another; the archive would put
        something outside of the folder.
      Exception: the URL cannot be read.

    The file takes its name when it is complete and its hash is right.
    TF: `tf.keras.utils.get_file`; without a progress bar.
    """
    if origin is None:
        raise ValueError('Please specify the "origin" argument (URL of the file to download).')
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = _folder(cache_dir, cache_subdir)
    name = os.fspath(fname) if fname else os.path.basename(urllib.parse.urlsplit(origin).path)
    if not name:
        raise ValueError(
            f"Can't parse the file name from the origin provided: '{origin}'. Please specify the `fname` as the input "
            "param."
        )
    unpacked = os.path.join(folder, name.removesuffix(".tar.gz"))
    path = unpacked + ".tar.gz" if untar else os.path.join(folder, name)
    if not os.path.exists(path) or file_hash is not None and not _has_hash(path, file_hash, hash_algorithm):
        _fetch(origin, path, file_hash, hash_algorithm)
    if untar:
        if not os.path.exists(unpacked):
            _unpack(path, folder, ["tar"])
        return unpacked
    if extract and archive_format is not None:
        _unpack(path, folder, ["tar", "zip"] if archive_format == "auto" else [archive_format])
    return path


def _folder(cache_dir, cache_subdir):
    base = os.path.expanduser("~/.keras") if cache_dir is None else os.path.expanduser(cache_dir)
    if cache_dir is None:
        try:
            os.makedirs(base, exist_ok=True)
        except OSError:
            pass
    if not os.access(base, os.W_OK) and (cache_dir is None or os.path.exists(base)):
        base = os.path.join(tempfile.gettempdir(), ".keras")
    folder = os.path.join(base, cache_subdir)
    os.makedirs(folder, exist_ok=True)
    return folder


def _has_hash(path, expected, algorithm):
    sha = algorithm == "sha256" or algorithm == "auto" and len(expected) == 64
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256" if sha else "md5").hexdigest() == str(expected)


def _fetch(origin, path, file_hash, algorithm):
    import urllib.request  # here, since it takes 20 ms and most programs download nothing

    print_message(f"Downloading data from {origin}")
    with tempfile.NamedTemporaryFile() as temporary:
        try:
            with urllib.request.urlopen(origin) as source:
                shutil.copyfileobj(source, temporary)
        except urllib.error.HTTPError as error:
            raise Exception(f"URL fetch failure on {origin}: {error.code} -- {error.msg}") from error
        except urllib.error.URLError as error:
            raise Exception(f"URL fetch failure on {origin}: {error.errno} -- {error.reason}") from error
        temporary.flush()
        if file_hash is not None and not _has_hash(temporary.name, file_hash, algorithm):
            raise ValueError(
                f"Incomplete or corrupted file detected. The {algorithm} file hash does not match the provided value "
                f"of {file_hash}."
            )
        temporary.seek(0)
        with Replacing(path) as file:
            shutil.copyfileobj(temporary, file)


def _unpack(path, folder, formats):
    """Unpacks an archive of one of the formats; what is none stays as it is."""
    with refusing(path, ValueError, tarfile.TarError, NotImplementedError, RuntimeError):
        _unpack_into(path, folder, formats)


def _unpack_into(path, folder, formats):
    if "tar" in formats and tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            _refuse_paths_over_links(path, archive.getmembers())
            if hasattr(tarfile, "data_filter"):
                try:
                    archive.extractall(folder, filter="data")
                except tarfile.FilterError as error:
                    raise ValueError(f"{path} is not unpacked: {error}") from error
            else:  # Python before 3.11.4: https://docs.python.org/3.11/library/tarfile.html#extraction-filters
                _refuse_outside(path, folder, archive.getnames())
                for member in archive.getmembers():
                    if not (member.isfile() or member.isdir()):
                        raise ValueError(f"{path} is not unpacked: {member.name!r} is no file and no folder")
                archive.extractall(folder)
    elif "zip" in formats and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            _refuse_outside(path, folder, archive.namelist())
            archive.extractall(folder)


def _refuse_paths_over_links(path, members):
    """Raises ValueError if a member of a tar archive lies behind a link in it, or a link leads over another.

    Chains of links are how archives get past the filters of `tarfile`: https://nvd.nist.gov/vuln/detail/CVE-2025-4517
    """
    links = collections.Counter(os.path.normpath(m.name) for m in members if m.issym() or m.islnk())
    for member in members:
        paths = [os.path.dirname(member.name)]
        if member.issym():
            paths.append(os.path.dirname(os.path.join(os.path.dirname(member.name), member.linkname)))
        elif member.islnk():
            paths.append(member.linkname)
        places = {os.path.normpath("/".join(parts[:end])) for parts in (each.split("/") for each in paths)
                  for end in range(1, len(parts) + 1)}  # fmt: skip
        is_link = member.issym() or member.islnk()
        if not places.isdisjoint(links) or links[os.path.normpath(member.name)] > is_link:
            raise ValueError(f"{path} is not unpacked: {member.name!r} leads over a link")


def _refuse_outside(path, folder, names):
    """Raises ValueError if one of the `names` in the archive at `path` would lie outside of the folder."""
    inside = pathlib.Path(folder).resolve()
    for name in names:
        if not (inside / name).resolve().is_relative_to(inside):
            raise ValueError(f"{path} is not unpacked: {name!r} lies outside of the folder")

"""A zip archive that is the same for the same content, and that is not trusted when it is read.

Members are stored, not compressed: a file takes no more memory than it takes disk. The comment of the archive is the
SHA-256 of all bytes before it, so a bit that was flipped anywhere is noticed. It is a guard against accidents, not
against malice: whoever writes a file can write its digest.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping

DIGEST = 64  # letters of a SHA-256
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that an archive can hold


def pack(members: Mapping[str, bytes]) -> bytes:
    """Named members as one archive, always the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
        archive.comment = b"0" * DIGEST
    body = out.getbuffer()[:-DIGEST]
    return b"".join([body, hashlib.sha256(body).hexdigest().encode()])


def unpack(data: bytes, allowed: str) -> dict[str, bytes]:
    """The members of an archive whose names match the pattern `allowed`; raises ValueError for anything unusual."""
    body, digest = memoryview(data)[:-DIGEST], bytes(data[-DIGEST:])
    if len(data) < DIGEST or hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("it is not a model file, or it is damaged: its checksum is wrong")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_entries(archive.infolist(), len(data), allowed)
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, OverflowError) as error:
        raise ValueError(f"it is no archive that can be read: {error}") from None


def check_entries(entries: list[zipfile.ZipInfo], size: int, allowed: str) -> None:
    """Names and sizes, before any member is read."""
    seen: set[str] = set()
    for entry in entries:
        if not re.fullmatch(allowed, entry.orig_filename):
            raise ValueError(f"a member named {entry.orig_filename!r} is not expected in it")
        if entry.filename in seen:
            raise ValueError(f"the member {entry.filename!r} is in it twice")
        seen.add(entry.filename)
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 0x1:
            raise ValueError(f"the member {entry.filename!r} is compressed or encrypted: members must be stored")
        if entry.file_size != entry.compress_size:
            raise ValueError(f"the member {entry.filename!r} claims {entry.file_size} bytes and has other ones")
    if sum(entry.file_size for entry in entries) > size:  # members that overlap
        raise ValueError("the members claim more bytes than the file has")


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

"""A file that grows: a model, then what changed it, each an archive of its own.

    magic (16) | two slots (56 each) | record | record | ...      record = length (8), SHA-256 (32), archive

A slot says how many bytes and records count, with a checksum; the newer of the two slots rules. To append is to write
the record behind what counts, make it safe on disk, and then write the older slot anew. A process that is killed before
that leaves the old state, whatever it has written behind it; after that the new one. A slot that a failing machine has
cut leaves the state of the other, and a warning. What counts must be whole: a bit that was flipped in it is noticed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from pathlib import Path
from typing import NamedTuple

from ..statistics.warnings import warn
from .atomic import replace_file
from .locking import ChangedMeanwhile, locked

MAGIC = b"sumlearn journal"
FORMAT = 1
SLOT = struct.Struct(
    "<HQQQ14s16s"
)  # format, turn, bytes that count, records, checksum of all before it in short, token
SLOTS = (len(MAGIC), len(MAGIC) + SLOT.size)
BEGIN = SLOTS[1] + SLOT.size
HEAD = struct.Struct("<Q32s")


class Place(NamedTuple):
    """How far a journal has been written, and which it is."""

    turn: int
    end: int
    records: int
    token: bytes


def is_journal(data: bytes) -> bool:
    return data[: len(MAGIC)] == MAGIC


def written_slot(place: Place) -> bytes:
    body = struct.pack("<HQQQ", FORMAT, place.turn, place.end, place.records)
    check = hashlib.sha256(body + place.token).digest()[:14]
    return body + check + place.token


def read_slot(data: bytes) -> Place | None:
    """What a slot says; None where it was cut while it was written."""
    if len(data) != SLOT.size:
        return None
    number, turn, end, records, _, token = SLOT.unpack(data)
    place = Place(turn, end, records, token)
    if number > FORMAT:
        raise ValueError(f"written by a newer sumlearn: journal format {number}, this version reads up to {FORMAT}")
    return place if written_slot(place) == data else None


def place_in(data: bytes) -> Place:
    """How far what is in a journal counts."""
    found = [read_slot(data[at : at + SLOT.size]) for at in SLOTS]
    known = [place for place in found if place is not None]
    if not known:
        raise ValueError("it is a journal whose beginning is damaged")
    place = max(known)
    if len(known) == 1:
        warn("one of the two marks of a journal was cut or damaged: what was appended last may be missing", UserWarning)
    return place


def records_of(data: bytes) -> list[bytes]:
    """The archives in a journal that count, all of them whole."""
    place, at, found = place_in(data), BEGIN, []
    if place.end > len(data):
        raise ValueError(f"it was cut: {place.end} bytes of it count, {len(data)} are there")
    while at < place.end:
        if at + HEAD.size > place.end:
            raise ValueError("it is damaged: a record has no head")
        length, digest = HEAD.unpack(data[at : at + HEAD.size])
        at += HEAD.size
        if length > place.end - at:
            raise ValueError(f"it is damaged: a record claims {length} bytes, {place.end - at} are left")
        record = data[at : at + length]
        if hashlib.sha256(record).digest() != digest:
            raise ValueError("it is damaged: the checksum of a record is wrong")
        found.append(record)
        at += length
    if len(found) != place.records or not found:
        raise ValueError(f"it is damaged: {place.records} records are said to be there, {len(found)} are")
    return found


def begun(path: Path, record: bytes, known: Place | None = None) -> Place:
    """Write a new journal of one record, beside the old file and then in its place, which must be as `known` says."""
    body = HEAD.pack(len(record), hashlib.sha256(record).digest()) + record
    place = Place(1, BEGIN + len(body), 1, secrets.token_bytes(16))
    old = place._replace(turn=0)
    with locked(path):
        if known is not None:
            check_place(path, known)
        replace_file(path, [MAGIC, written_slot(old), written_slot(place), body])
    return place


def appended(path: Path, place: Place, record: bytes) -> Place:
    """Write one more record behind what counts; refused where the journal is no longer as `place` says."""
    body = HEAD.pack(len(record), hashlib.sha256(record).digest()) + record
    with locked(path), open(path, "r+b", buffering=0) as file:
        check_place(path, place)
        file.seek(place.end)
        write_all(file, body)
        file.truncate(place.end + len(body))
        os.fsync(file.fileno())
        now = Place(place.turn + 1, place.end + len(body), place.records + 1, place.token)
        file.seek(SLOTS[now.turn % 2])
        write_all(file, written_slot(now))
        os.fsync(file.fileno())
    return now


def check_place(path: Path, place: Place) -> None:
    """Refuse to write where a journal is no longer as `place` says: others have written meanwhile."""
    with open(path, "rb") as file:
        head = file.read(BEGIN)
    if not is_journal(head) or place_in(head) != place:
        raise ChangedMeanwhile(f"{str(path)!r} is no longer the file that was read: load it again; nothing was written")


def write_all(file: object, data: bytes) -> None:
    """All of it: a write may take a part."""
    rest = memoryview(data)
    while len(rest):
        rest = rest[file.write(rest) :]  # type: ignore[attr-defined]

"""Files that no `save` would write, with the right checksums: what guards a load must be more than those."""

import io
import itertools
import json
import zipfile

from sumlearn.saving import archive


def members_of(path):
    with zipfile.ZipFile(path) as found:
        return {name: found.read(name) for name in found.namelist()}


def inner_members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def write(path, members, manifest=None):
    """A file of these members; the manifest lists them, and is changed by the function `manifest`."""
    members = dict(members)
    said = json.loads(members.pop("manifest.json"))
    said["members"] = {name: {"size": len(data), "sha256": archive.digest_of(data)} for name, data in members.items()}
    if manifest is not None:
        manifest(said)
    path.write_bytes(archive.pack({"manifest.json": json.dumps(said).encode(), **members}))
    return path


def with_schema(path, change, arrays=None):
    """The file with another schema of its estimator, `change(schema)`, and more arrays."""
    members = members_of(path)
    inside = inner_members(members["estimator.skops"])
    schema = json.loads(inside["schema.json"])
    schema = change(schema) or schema
    inside["schema.json"] = json.dumps(schema).encode()
    inside.update(arrays or {})
    return write(path, {**members, "estimator.skops": archive.pack(inside)})


def with_statistic(path, change, run=None):
    """The file with another statistic, `change(fields)`, and another run of numbers."""
    members = members_of(path)
    fields = json.loads(members["statistics/0.json"])
    change(fields)
    members["statistics/0.json"] = json.dumps(fields).encode()
    if run is not None:
        members["statistics/0.bin"] = run(members["statistics/0.bin"])
    return write(path, members)


def zipped(members, compression=zipfile.ZIP_STORED, change=lambda raw: None):
    """Any archive with our checksum; names are written as they are, and `change` may alter the bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as found:
        for name, data in members:
            entry = zipfile.ZipInfo("a name")
            entry.filename, entry.compress_type = name, compression
            found.writestr(entry, data)
        found.comment = b"0" * archive.DIGEST
    raw = bytearray(out.getvalue())
    change(raw)
    body = bytes(raw[: -archive.DIGEST])
    return body + archive.digest_of(body).encode()


numbers = itertools.count(10**6)


def node(module, name, loader, **more):
    return {"__module__": module, "__class__": name, "__loader__": loader, "__id__": next(numbers), **more}

"""Files into and out of a sandbox as tar streams; the host never follows a path that the sandbox made."""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

from liverl.errors import SandboxError

MAX_MEMBERS = 20_000


@contextlib.contextmanager
def packed(source: Path | None, *, name: str = "") -> Iterator[int]:
    """A file descriptor of a tar of `source`: a folder's content, or a file under `name`; None is an empty
    tar.

    Owners become root, symbolic links stay links, sockets and devices are left out.
    """
    fd = os.memfd_create("upload")
    try:
        with os.fdopen(os.dup(fd), "wb") as stream, tarfile.open(fileobj=stream, mode="w") as archive:
            if source is not None and source.is_dir():
                for child in sorted(source.iterdir()):
                    archive.add(child, arcname=child.name, filter=_as_root)
            elif source is not None:
                archive.add(source.resolve(), arcname=name or source.name, filter=_as_root)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def unpack(archive_bytes: bytes, target: Path) -> list[str]:
    """Unpack what came out of a sandbox under `target`; returns the names of what was refused.

    Refused are links and paths that leave `target`, devices, pipes and sockets. Raises `SandboxError` for a
    broken archive or more than `MAX_MEMBERS` members.
    """
    target.mkdir(parents=True, exist_ok=True)
    refused: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(archive_bytes), mode="r:") as archive:
            members = archive.getmembers()
            if len(members) > MAX_MEMBERS:
                raise SandboxError(
                    "sandbox.too_many_files",
                    f"A folder of the sandbox holds {len(members)} entries; {MAX_MEMBERS} may leave it.",
                )
            for member in members:
                if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
                    refused.append(member.name)
                    continue
                try:
                    archive.extract(member, target, filter="data")
                except (tarfile.FilterError, OSError):
                    refused.append(member.name)
    except tarfile.TarError as error:
        raise SandboxError(
            "sandbox.download_broken", "What the sandbox sent is no archive.", evidence=str(error)
        ) from error
    return refused


def _as_root(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member

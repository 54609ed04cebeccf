"""Files into and out of a sandbox as tar streams; the host never follows a path that the sandbox made."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from liverl.errors import SandboxError

MAX_MEMBERS = 20_000
# What a name of the sandbox's choosing brings about; any other failure is the host's.
_NAMES_FAULT = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EINVAL}


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

    Only folders and regular files are unpacked, none through a link. Raises `SandboxError` for a broken archive
    or more than `MAX_MEMBERS` members, `OSError` where the host can't write.
    """
    target.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive_bytes), mode="r:") as archive:
            members = archive.getmembers()
            if len(members) > MAX_MEMBERS:
                raise SandboxError(
                    "sandbox.too_many_files",
                    f"A folder of the sandbox holds {len(members)} entries; {MAX_MEMBERS} may leave it.",
                )
            refused = [member.name for member in members if not _place(archive, member, target)]
    except tarfile.TarError as error:
        raise SandboxError(
            "sandbox.download_broken", "What the sandbox sent is no archive.", evidence=str(error)
        ) from error
    return refused


def _place(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> bool:
    """Write one member under `target`; False when it is refused."""
    name = PurePosixPath(member.name)
    plain = member.isdir() or (member.isreg() and not member.issparse())
    if not plain or name.is_absolute() or ".." in name.parts:
        return False
    place = target / name
    try:
        if any(target.joinpath(*name.parts[:depth]).is_symlink() for depth in range(1, len(name.parts) + 1)):
            return False
        if member.isdir():
            place.mkdir(parents=True, exist_ok=True)
            return True
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        mode = 0o755 if member.mode & 0o100 else 0o644
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        content = archive.extractfile(member)
        assert content is not None
        with os.fdopen(fd, "wb") as stream:
            shutil.copyfileobj(content, stream)
    except OSError as error:
        if error.errno not in _NAMES_FAULT:
            raise
        return False
    return True


def _as_root(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member

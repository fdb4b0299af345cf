"""The file system under a store: whether another machine holds it, and how much fits there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["file_system_of", "is_network", "network_file_system", "space_left"]

_MOUNTS: Final = Path("/proc/self/mounts")
_NETWORK: Final = frozenset(
    {
        "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "gfs2", "glusterfs", "gpfs",
        "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "orangefs", "prl_fs", "pvfs2", "smb2",
        "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "webdav",
    }
)  # fmt: skip
_NETWORK_FUSE: Final = (
    "sshfs", "rclone", "s3", "gcs", "goofys", "blobfuse", "glusterfs", "ceph", "moosefs", "mfs",
    "juicefs", "lizardfs", "cvmfs", "davfs", "curlftpfs", "smbnetfs", "vmhgfs", "hdfs", "seaweedfs",
    "osxfs", "grpcfuse",
)  # fmt: skip
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


def network_file_system(path: str | os.PathLike[str]) -> str | None:
    """Names the file system that a path is on, if another machine holds it; None for a local one.

    None too where the system does not tell: only Linux lists its mounts as text.
    """
    try:
        table = os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return None
    kind = file_system_of(os.path.realpath(path), table)
    return kind if kind is not None and is_network(kind) else None


def file_system_of(path: str, mounts: str) -> str | None:
    """Finds the type of the file system of a real path in a table such as ``/proc/mounts``.

    The longest mount point above the path counts, and of several mounts at one point the last.
    """
    kind, longest = None, -1
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 — device, mount point, type
            continue
        point = _OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[1]).rstrip("/")
        if (path == point or path.startswith(f"{point}/")) and len(point) >= longest:
            kind, longest = fields[2], len(point)
    return kind


def is_network(kind: str) -> bool:
    """Tells whether a type of file system shares files of another machine, or of a host."""
    fuse = kind.startswith("fuse.") and any(name in kind for name in _NETWORK_FUSE)
    return kind in _NETWORK or fuse


def space_left(path: str | os.PathLike[str]) -> tuple[int, int | None]:
    """Tells how many bytes, and how many more files, this user may write; None for no such limit.

    Raises:
        OSError: the path cannot be looked at.
    """
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None

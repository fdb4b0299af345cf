"""The file system under a store: told from a table of mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from membound.file_system import (
    file_system_of,
    is_network,
    network_file_system,
    space_left,
)

if TYPE_CHECKING:
    from pathlib import Path

MOUNTS = r"""proc /proc proc rw,relatime 0 0
/dev/vda / ext4 rw,relatime,discard 0 0
tmpfs /dev/shm tmpfs rw,relatime,size=24684084k 0 0
nas:/export /mnt/nas nfs4 rw,vers=4.2,addr=10.0.0.2 0 0
nas:/export /mnt/nas/local\040disk xfs rw 0 0
//nas/team /mnt/a\134b\011c cifs rw,vers=3.1.1 0 0
alice@host:/home /home/alice/remote fuse.sshfs rw,nosuid,nodev,user_id=1000 0 0
portal /run/user/1000/doc fuse.portal rw,nosuid,nodev 0 0
C:\134 /mnt/c 9p rw,dirsync,aname=drvfs;path=C:\ 0 0
overlay /var/lib/box/merged overlay rw,lowerdir=/l,upperdir=/u 0 0
/dev/sdb1 /srv ext4 rw 0 0
server:/srv /srv nfs rw 0 0
"""

PLACES = [
    ("/", "ext4", False),
    ("/home/alice/memory", "ext4", False),
    ("/dev/shm", "tmpfs", False),  # noqa: S108 — a row of the table
    ("/dev/shmem", "ext4", False),  # noqa: S108 — no part of it
    ("/mnt/nas", "nfs4", True),
    ("/mnt/nasty/store", "ext4", False),
    ("/mnt/nas/store", "nfs4", True),
    ("/mnt/nas/local disk/store", "xfs", False),
    ("/mnt/a\\b\tc/store", "cifs", True),
    ("/home/alice/remote/store", "fuse.sshfs", True),
    ("/run/user/1000/doc/store", "fuse.portal", False),
    ("/mnt/c/Users/alice", "9p", True),
    ("/var/lib/box/merged/store", "overlay", False),
    ("/srv/store", "nfs", True),
]


@pytest.mark.parametrize(("path", "kind", "network"), PLACES)
def test_the_longest_mount_above_a_path_counts(path: str, kind: str, network: bool) -> None:
    assert file_system_of(path, MOUNTS) == kind
    assert is_network(kind) is network


@pytest.mark.parametrize("table", ["", "\n\n", "a b\n", "no table at all"])
def test_a_table_that_says_nothing_names_nothing(table: str) -> None:
    assert file_system_of("/srv/store", table) is None


NETWORK = ["nfs", "smb3", "ceph", "glusterfs", "lustre", "virtiofs", "fuse.rclone", "fuse.s3fs"]
LOCAL = [
    "ext4",
    "xfs",
    "btrfs",
    "zfs",
    "apfs",
    "tmpfs",
    "fuse.ntfs-3g",
    "fuseblk",
    "fuse.gvfsd",
    "",
]


@pytest.mark.parametrize("kind", [*NETWORK, *LOCAL])
def test_what_other_machines_hold_is_told_apart(kind: str) -> None:
    assert is_network(kind) is (kind in NETWORK)


def test_the_disk_of_the_tests_can_be_looked_at(tmp_path: Path) -> None:
    kind = network_file_system(tmp_path)
    assert kind is None or is_network(kind)
    assert network_file_system(tmp_path / "not" / "there") == kind
    free, files = space_left(tmp_path)
    assert free > 0
    assert files is None or files > 0

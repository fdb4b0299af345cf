"""Run in a child: a note that the disk did not give once is found as soon as it does."""

from __future__ import annotations

import sys
from errno import EIO
from pathlib import Path

from tests.faults.garden import opened, prepared
from tests.faults.layer import Fault, Kind, Layer


def main(work: str) -> None:
    folder = Path(work)
    prepared(folder)
    layer = Layer(folder)
    with opened(folder) as garden:
        garden.list()
        (garden.path / "memory" / "two.md").write_text("heron by hand")
        layer.arm(1, Fault(EIO, Kind.READ))
        faults = {one.key: one.fault for one in garden.list().items if one.fault}
        assert layer.disarm() == 1
        assert faults == {"two": "it cannot be read"}
        (garden.path / "memory" / "folder").mkdir()
        assert {one.key for one in garden.search("heron").items} == {"one", "two", "three"}
        (garden.path / "memory" / "two.md").write_text("heron again")
        layer.arm(1, Fault(EIO, Kind.READ))
        garden.list()
        assert layer.disarm() == 1
    with opened(folder) as other:
        assert {one.key for one in other.search("heron").items} == {"one", "two", "three"}
        assert not [one for one in other.list().items if one.fault]
    sys.stdout.write("found\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

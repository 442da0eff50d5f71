#!/usr/bin/env python3
"""Writes sizes and SHA-256 sums of hand-made recordings into their sidecars.

Run it after a file under datasets/ was edited on purpose:

    python3 scripts/seal_sidecars.py datasets/device-readings datasets/rate-users

A sidecar's list of files is kept when it names files, and is the folder's data
files when the sidecar is `_recording.sidecar.json`. Row counts are checked by
the tests of the datasets crate, not here.
"""

import hashlib
import json
import pathlib
import sys


def seal(sidecar):
    about = json.loads(sidecar.read_text())
    folder = sidecar.parent
    if sidecar.name.startswith("_"):
        names = sorted(p.name for p in folder.iterdir() if p.name[0] not in "._")
    else:
        names = [sidecar.name.removesuffix(".sidecar.json")]
    about["files"] = []
    for name in names:
        content = (folder / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        about["files"].append({"path": name, "bytes": len(content), "sha256": digest})
    sidecar.write_text(json.dumps(about, indent=2) + "\n")
    print(sidecar)


for argument in sys.argv[1:]:
    for sidecar in sorted(pathlib.Path(argument).rglob("*.sidecar.json")):
        seal(sidecar)

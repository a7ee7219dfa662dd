#!/usr/bin/env python3
"""Packs a folder as a .zip, with the same bytes each time: zip.py FOLDER NAME OUT. NAME is the folder in the archive."""

import os
import pathlib
import sys
import time
import zipfile


def main():
    folder, name, out = sys.argv[1:]
    folder = pathlib.Path(folder)
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            within = path.relative_to(folder).as_posix()
            entry = zipfile.ZipInfo(f"{name}/{within}", date_time=when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if within.startswith("bin/") else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    main()

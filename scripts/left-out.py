#!/usr/bin/env python3
"""Names the tests that the profile `quick` leaves out.

usage: left-out.py CARGO_NEXTEST_ARGUMENT...

The arguments choose the packages, as for `cargo nextest run`. Nothing is built: the tests must have been run before.
"""

import json
import subprocess
import sys


def main() -> None:
    command = ["cargo", "nextest", "list", "--profile", "quick", "--message-format", "json", *sys.argv[1:]]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = []
    for suite in json.loads(listed.stdout)["rust-suites"].values():
        for name, case in suite["testcases"].items():
            if case["filter-match"]["status"] != "matches" and not case["ignored"]:
                names.append(f"{suite['package-name'].removeprefix('narratoria-')} {name}")
    if names:
        print(f"test: `make nightly` runs {len(names)} more tests, and random ones in greater numbers:")
        for name in sorted(names):
            print(f"  {name}")


main()

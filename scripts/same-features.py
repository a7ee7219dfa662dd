#!/usr/bin/env python3
"""Proves that two selections of packages build the same crates with the same features.

usage: same-features.py "CARGO ARGUMENTS" "CARGO ARGUMENTS"

A crate that both need with different features is built twice, with everything above it. Our own crates may differ, where
one selection has a language model, and so may crates that only build scripts use.
"""

import collections
import subprocess
import sys


def features(arguments: str) -> dict[str, set[str]]:
    command = ["cargo", "tree", "--locked", *arguments.split(), "-e", "normal,dev", "--prefix", "none", "-f", "{p}|{f}"]
    found = collections.defaultdict(set)
    for line in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        package, _, names = line.replace(" (*)", "").partition("|")
        found[package].add(names)
    return found


def main() -> None:
    one, other = (features(arguments) for arguments in sys.argv[1:3])
    differ = [
        f"{package}: `{', '.join(sorted(one[package]))}` and `{', '.join(sorted(other[package]))}`"
        for package in sorted(one.keys() & other.keys())
        if one[package] != other[package] and "(/" not in package
    ]
    if differ:
        print("same-features: tests/features/Cargo.toml lacks features that only one half of the tests asks for:")
        print("\n".join(f"  {line}" for line in differ))
        sys.exit(1)


main()

#!/usr/bin/env python3
"""Measures the time from an edit of a script to its effect, for each language of `skill new`.

  usage: edit-to-played.py [NARRATORIA] [LANGUAGE...]

For each language it makes a package and prints in seconds: the first build of the first package, the first build of a
second one (they share compiled crates), the time from an edit to the end of `skill build` and `skill check` (as CI does),
and the time from an edit until `skill dev` has built it, tested it, checked it and played a sentence with it. Tools are
looked for on the search path, in target/languages and in WASI_SDK_PATH. Run it on a quiet machine, and compare the ratios.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each source has its own way to say it.
SOURCE = {"rust": "tell.rs", "c": "tell.c", "js": "omen.mjs", "python": "tell.py"}
TEXTS = ["Three crows sit above", "The candle leans away from", "The water lies still around"]


def edited(package, lang, number):
    path = package / "src" / SOURCE[lang]
    text = path.read_text()
    for old in TEXTS + [f"Owl {n} looks at" for n in range(number)]:
        text = text.replace(old, f"Owl {number} looks at")
    path.write_text(text)


def main():
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/narratoria").resolve())
    languages = sys.argv[2:] or list(SOURCE)
    tools = [ROOT / "target/languages/venv/bin", ROOT / "target/languages/node_modules/.bin"]
    print(f"{'':8}{'first':>9}{'second':>9}{'commands':>9}{'dev':>9}", flush=True)
    for lang in languages:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            env = dict(os.environ, NARRATORIA_HOME=str(folder / "home"), NARRATORIA_OFFLINE="1")
            env["PATH"] = os.pathsep.join([*map(str, tools), env["PATH"]])
            env.pop("CARGO_TARGET_DIR", None)

            def run(*args):
                began = time.monotonic()
                done = subprocess.run([program, *args], cwd=folder, env=env, capture_output=True, text=True)
                return time.monotonic() - began, done

            times = []
            for name in ["one", "two"]:
                run("skill", "new", name, "--lang", lang)
                took, done = run("skill", "build", "--yes", name)
                if done.returncode != 0:
                    print(f"{lang:8} left out:\n{done.stderr[-600:]}")
                    break
                times.append(took)
            else:
                run("skill", "check", "two")
                edited(folder / "two", lang, 0)
                took, _ = run("skill", "build", "--yes", "two")
                checked, _ = run("skill", "check", "two")
                times.append(took + checked)
                times.append(played(program, folder, env, lang))
                print(f"{lang:8}" + "".join(f"{one:9.1f}" for one in times), flush=True)


def played(program, folder, env, lang):
    """The median of three edits in one session."""
    dev = subprocess.Popen(
        [program, "skill", "dev", "two", "--yes", "--seed", "3"],
        cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )

    def ask(what):
        dev.stdin.write("is there an omen about the ford?\n")
        dev.stdin.flush()
        for line in dev.stdout:
            if f"{what} the ford" in line:
                return
        raise SystemExit(f"{lang}: `{what}` was never told")

    ask("Owl 0 looks at")
    times = []
    for number in [1, 2, 3]:
        began = time.monotonic()
        edited(folder / "two", lang, number)
        ask(f"Owl {number} looks at")
        times.append(time.monotonic() - began)
    # Leaves out the builds at the end of a session.
    dev.kill()
    dev.wait()
    return sorted(times)[1]


main()

#!/usr/bin/env python3
"""Measures turns without a model, as a player has them: from a typed line to the end of its turn.

  usage: turns.py [NARRATORIA] [--turns N] [--only NAME] [--steps]

It plays the bundled campaigns, a small world made from a premise, and a campaign of 300 places and 1,000 storylets that it
writes itself. For each it prints the median, the 95th percentile and the longest turn in milliseconds, all after the first
two, and the 95th percentile as a ratio to a fixed reference on the same machine: SHA-256 over 16 MiB, the fastest of five.
`begin` is the time from the start of the program to the end of the opening. For the large campaign `load` is the same in a
home where the campaign is known already, less the time that a campaign of one place takes. `--steps` prints the median
fuel of each script.

Run it on a quiet machine, and compare the ratios.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = "old grey wet long small round iron salt quiet narrow tall broken painted cold warm bright".split()
NOUNS = "hall yard tower quay loft cellar garden mill bridge chapel market lane shed office kitchen".split()
PREMISE = "a lighthouse keeper who has not slept for nine days"


def sentence(chance, words):
    return " ".join(chance.choice(WORDS) for _ in range(words)).capitalize() + "."


def place_name(at):
    return f"{WORDS[at % 16]} {NOUNS[at // 16 % 15]} {at}"


def lines_of_place(chance, at, places):
    ways = [("west", at - 1), ("east", at + 1), ("north", at - 20), ("south", at + 20)]
    exits = [f'{{ direction = "{way}", to = "{place_name(to)}" }}' for way, to in ways if 0 <= to < places]
    parts = [("wall", 9), ("floor", 8), ("ceiling", 10)]
    scenery = [f'{{ name = "{part}", description = "{sentence(chance, words)}" }}' for part, words in parts]
    look = f"looks = [{{ when = \"level >= 'low'\", description = \"{sentence(chance, 20)}\" }}]\n" if at % 10 == 0 else ""
    text = " ".join(sentence(chance, 11) for _ in range(4))
    return (
        f'[[place]]\nname = "{place_name(at)}"\ndescription = "{text}"\n{look}'
        f'scenery = [{", ".join(scenery)}]\nexits = [{", ".join(exits)}]\n\n'
    )


def lines_of_person(chance, at):
    topics = []
    for topic in range(9):
        when = ", when = \"level >= 'low' && heat < 3\"" if topic % 3 == 0 else ""
        says = f'["{sentence(chance, 14)}", "{sentence(chance, 12)}"]'
        topics.append(f'{{ about = ["subject {topic}", "{WORDS[topic]}"], says = {says}{when} }}')
    return (
        f'[[person]]\nname = "Porter {at}"\npronoun = "he"\ndescription = "{sentence(chance, 12)}"\n'
        f'place = "{place_name(at * 5)}"\ngreeting = "{sentence(chance, 6)}"\n'
        f'topics = [{", ".join(topics)}]\n\n'
    )


def lines_of_storylet(at, places):
    gates = [
        f'at = "{place_name(at % places)}"',
        "when = \"level >= 'low' && heat > 2 && hour >= 6 && !('" + place_name(7) + "' in visited)\"",
        'on = { verb = "examine" }\nchance = 0.2\ncooldown = 5',
    ]
    return (
        f'[[storylet]]\nid = "s{at}"\n{gates[at % 3]}\n'
        f'text = "A bell rings behind the wall, for the {at}th time."\nraises = {{ heat = 1 }}\n\n'
    )


def write_campaign(folder, places, storylets):
    """A grid of places, two things in each, a person in every fifth, and storylets in twenty decks."""
    chance = random.Random(1)
    files = {
        "manifest.json": '{ "title": "Large", "version": "1.0.0" }',
        "world/setting.md": "Yards.",
        "plot/premise.md": "Many yards.",
        "characters/player/player.toml": f'name = "Ada Lund"\nplace = "{place_name(0)}"\n',
        "plot/qualities.toml": '[ladder]\nlevel = ["none", "low", "high"]\n[counter]\nheat = { to = 9 }\n',
        "world/places.toml": "".join(lines_of_place(chance, at, places) for at in range(places)),
        "characters/people.toml": "".join(lines_of_person(chance, at) for at in range(max(places // 5, 1))),
        "world/things.toml": "".join(
            f'[[thing]]\nname = "{WORDS[at % 16]} box {at}"\nplace = "{place_name(at // 2)}"\n'
            f'description = "{sentence(chance, 9)} {sentence(chance, 9)}"\n\n'
            for at in range(2 * places)
        ),
    }
    for deck in range(20):
        here = range(deck * storylets // 20, (deck + 1) * storylets // 20)
        if here:
            files[f"plot/decks/deck{deck}.toml"] = "".join(lines_of_storylet(at, places) for at in here)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


class Session:
    """A story that is played over a pipe."""

    def __init__(self, program, home, args):
        env = dict(os.environ, NARRATORIA_HOME=str(home), NARRATORIA_OFFLINE="1")
        command = [program, "run", "--planner", "lexical", "--format", "json", "--seed", "7", *args]
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, cwd=home, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.scope, self.choices, self.steps = {}, [], []

    def turn(self, typed=None):
        """Milliseconds from the line to the end of its turn."""
        began = time.monotonic() if typed is not None else self.began
        if typed is not None:
            self.process.stdin.write(typed + "\n")
            self.process.stdin.flush()
        for line in self.process.stdout:
            if '"type":"turn.finished"' in line:
                took = (time.monotonic() - began) * 1000
                self.choices = [one["prompt"] for one in json.loads(line).get("choices", [])]
                return took
            if '"type":"step.finished"' in line:
                step = json.loads(line)
                self.steps.append(step)
                self.scope = (step.get("output") or {}).get("scope", self.scope)
            if '"type":"approval.requested"' in line or '"type":"input.requested"' in line:
                self.process.stdin.write("\n")
                self.process.stdin.flush()
        raise SystemExit("turns: the program ended")

    def sentence(self, chance):
        """Something that a player might type now."""
        drawn = {
            "exits": ["go to the {}", "walk to {}"],
            "targets": ["x {}", "take the {}", "search the {}", "use the {}"],
            "people": ["talk to {}", "x {}", "ask {} about the news"],
        }
        kind = chance.choice(["exits"] * 3 + ["targets"] * 3 + ["people"] + ["choices"] * 2 + ["other"])
        names = self.choices if kind == "choices" else self.scope.get(kind) or []
        if not names or kind == "other":
            return chance.choice(["look", "wait", "i", "what time is it?", "listen"])
        name = chance.choice(names)
        return name if kind == "choices" else chance.choice(drawn[kind]).format(name)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(program, home, args, turns):
    session, chance = Session(program, home, args), random.Random(7)
    begin = session.turn()
    for _ in range(2):
        session.turn(session.sentence(chance))
    session.steps.clear()
    times = [session.turn(session.sentence(chance)) for _ in range(turns)]
    session.end()
    return begin, sorted(times), session.steps


def reference():
    """A fixed piece of work on this machine, in milliseconds."""
    block, times = bytes(16 << 20), []
    for _ in range(5):
        began = time.monotonic()
        hashlib.sha256(block).digest()
        times.append((time.monotonic() - began) * 1000)
    return min(times)


def print_steps(steps):
    scripts = {}
    for step in steps:
        if step.get("fuelConsumed"):
            scripts.setdefault(step["toolId"], []).append(step)
    for name, ran in sorted(scripts.items()):
        fuel = statistics.median(step["fuelConsumed"] for step in ran) / 1e6
        print(f"    {name:14}{len(ran):5} runs {fuel:8.1f} M fuel")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("program", nargs="?", default=str(ROOT / "target/release/narratoria"))
    args.add_argument("--turns", type=int, default=200)
    args.add_argument("--only", default="")
    args.add_argument("--steps", action="store_true")
    args = args.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    unit = reference()
    print(f"reference {unit:.1f} ms")
    print(f"{'':20}{'begin':>9}{'p50':>8}{'p95':>8}{'longest':>9}{'p95/ref':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        home = pathlib.Path(scratch) / "home"
        large, tiny = pathlib.Path(scratch) / "large", pathlib.Path(scratch) / "tiny"
        write_campaign(large, 300, 1000)
        write_campaign(tiny, 1, 0)
        home.mkdir()
        # Compiles the skills where they do not come compiled.
        Session(program, home, ["--premise", PREMISE, "--story", "warm"]).turn()
        bundled = sorted(path.name for path in (ROOT / "campaigns").iterdir() if (path / "manifest.json").exists())
        games = [(name, ["--campaign", name]) for name in bundled]
        games += [("premise", ["--premise", PREMISE]), ("large", ["--campaign", str(large)])]
        for name, choice in games:
            if args.only not in name:
                continue
            begin, times, steps = measure(program, home, [*choice, "--story", f"s-{name}"], args.turns)
            p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
            print(f"{name:20}{begin:9.0f}{p50:8.1f}{p95:8.1f}{times[-1]:9.1f}{p95 / unit:9.2f}")
            if args.steps:
                print_steps(steps)
        begins = {}
        for name, folder in [("large", large), ("tiny", tiny)]:
            begins[name] = min(
                measure(program, home, ["--campaign", str(folder), "--story", f"{name}-{at}"], 0)[0] for at in range(4)
            )
        print(f"load of the large campaign {begins['large'] - begins['tiny']:.0f} ms ({begins['tiny']:.0f} ms without)")


main()

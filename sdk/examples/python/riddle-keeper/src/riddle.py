"""The script `riddle`: poses a riddle, or judges the answer to the open one.

The story's state remembers which one is open, how often the player was wrong, and what was solved:

    {"riddles": {"open": "river", "wrong": 1, "solved": ["candle"]}}
"""

import re
import sys

import wire

ANSWER_CHARS_MAX = 200

INPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Riddle",
    "description": "A riddle is wanted, or the open one is answered.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "answer": {
            "description": "The player's answer; empty or left out to hear a riddle.",
            "type": "string",
            "maxLength": ANSWER_CHARS_MAX,
            "default": "",
        },
    },
}

OUTPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Riddled",
    "description": "What came of it.",
    "type": "object",
    "required": ["text", "outcome", "triesLeft"],
    "properties": {
        "text": {"description": "What the player hears.", "type": "string"},
        "outcome": {"enum": ["posed", "right", "wrong", "given-up"]},
        "triesLeft": {"description": "Answers that may still be wrong.", "type": "integer"},
    },
}

# Wrong answers until the solution is told.
TRIES_MAX = 3

# Each with the words that count as its answer, the first of which is told.
RIDDLES = {
    "river": ("What runs all day and never leaves its bed?", ["a river", "stream", "brook"]),
    "candle": ("The longer it stands, the shorter it grows. What is it?", ["a candle", "taper"]),
    "echo": ("It answers everyone and was never taught to speak. What is it?", ["an echo"]),
    "footsteps": ("The more you take, the more you leave behind. What are they?", ["footsteps", "steps", "footprints"]),
    "hole": ("It grows when you take from it. What is it?", ["a hole", "pit", "hollow"]),
    "shadow": ("It follows you all day and is gone when the light goes out. What is it?", ["a shadow"]),
    "name": ("It is yours, and others use it more than you do. What is it?", ["your name", "name"]),
}


def run(host, request):
    given = wire.field(request, "input", dict)
    wire.check_input(given, {"answer": (str, False)})
    if len(given.get("answer", "")) > ANSWER_CHARS_MAX:
        raise wire.Refused("INVALID_INPUT", f"`input.answer` has more than {ANSWER_CHARS_MAX} characters")
    kept = wire.field(wire.field(request, "state", dict), "riddles", dict)
    answer = words(given.get("answer", ""))
    if not answer:
        return pose(host, request, kept)
    return judge(host, kept, answer)


def pose(host, request, kept):
    solved = [name for name in wire.field(kept, "solved", list) if isinstance(name, str) and name in RIDDLES]
    if wire.field(kept, "open", str) in RIDDLES:
        # Asked again, it is the same one: whoever is stuck does not get an easier one for it.
        name, wrong = kept["open"], wire.field(kept, "wrong", int)
    else:
        # Once all are solved they begin anew.
        fresh = [name for name in RIDDLES if name not in solved] or list(RIDDLES)
        if len(fresh) == len(RIDDLES):
            solved = []
        name, wrong = fresh[wire.field(request, "seed", int) % len(fresh)], 0
    host.log("a riddle is posed")
    host.patch({"riddles": {"open": name, "wrong": wrong, "solved": solved}})
    return told(RIDDLES[name][0], "posed", TRIES_MAX - wrong)


def judge(host, kept, answer):
    name = wire.field(kept, "open", str)
    if name not in RIDDLES:
        raise wire.Refused("NO_RIDDLE", "no riddle is open; ask for one first")
    answers = RIDDLES[name][1]
    if any(words(right) in (answer, answer.removesuffix("s")) for right in answers):
        solved = wire.field(kept, "solved", list)
        host.log("the riddle is solved")
        host.patch({"riddles": {"open": None, "wrong": None, "solved": [*solved, name]}})
        return told(f"Right: it is {answers[0]}.", "right", TRIES_MAX)
    wrong = wire.field(kept, "wrong", int) + 1
    host.ui_event("riddle_missed", {"wrong": wrong, "of": TRIES_MAX})
    if wrong >= TRIES_MAX:
        host.patch({"riddles": {"open": None, "wrong": None}})
        return told(f"No. It was {answers[0]}.", "given-up", 0)
    host.patch({"riddles": {"wrong": wrong}})
    return told("No, that is not it.", "wrong", TRIES_MAX - wrong)


def told(text, outcome, tries_left):
    return {"text": text, "outcome": outcome, "triesLeft": max(0, tries_left)}


def words(text):
    """What counts of an answer: its words, without articles and whatever else stands around them."""
    found = re.findall(r"[a-z]+", text.lower())
    return " ".join(word for word in found if word not in ("a", "an", "the", "your", "my", "it", "is"))


class Run:
    """What `wit/skill.wit` exports."""

    def run(self):
        wire.main(sys.modules[__name__])

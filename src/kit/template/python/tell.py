"""The script `tell`: an omen about whatever the player asks. This is where your skill begins."""

import sys

import wire

ABOUT_CHARS_MAX = 200

INPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Tell",
    "description": "What to tell an omen about.",
    "type": "object",
    "additionalProperties": False,
    "required": ["about"],
    "properties": {
        "about": {
            "description": "What the player asks about.",
            "type": "string",
            "minLength": 1,
            "maxLength": ABOUT_CHARS_MAX,
        },
    },
}

OUTPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Omen",
    "description": "The omen.",
    "type": "object",
    "required": ["text", "favourable"],
    "properties": {
        "text": {
            "description": "The omen in one sentence; it becomes part of the narration.",
            "type": "string",
        },
        "favourable": {"description": "Whether it speaks for going on.", "type": "boolean"},
    },
}

# Before and after what it is about, and whether it is favourable.
OMENS = [
    ("The water lies still around", "nothing stands in the way.", True),
    ("Three crows sit above", "go on, and keep your eyes open.", True),
    ("The candle leans away from", "wait until the morning.", False),
]


def run(host, request):
    given = wire.field(request, "input", dict)
    wire.check_input(given, {"about": (str, True)})
    if len(given["about"]) > ABOUT_CHARS_MAX:
        raise wire.Refused("INVALID_INPUT", f"`input.about` has more than {ABOUT_CHARS_MAX} characters")
    about = given["about"].strip()
    if not about:
        raise wire.Refused("NOTHING_ASKED", "say what the omen is to be about")
    # All chance comes from the seed: the same request gives the same omen.
    before, after, favourable = OMENS[wire.field(request, "seed", int) % len(OMENS)]
    host.log("the signs were read")
    host.patch({"omen": {"about": about, "favourable": favourable}})
    return {"text": f"{before} {about}: {after}", "favourable": favourable}


class Run:
    """What `wit/skill.wit` exports."""

    def run(self):
        wire.main(sys.modules[__name__])

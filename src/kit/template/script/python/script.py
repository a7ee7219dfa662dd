"""The script `{{script}}`. {{description}}"""

{{standard}}import sys

{{modules}}import wire
{{imports}}
INPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Input",
    "description": "The script needs no input.",
    "type": "object",
    "additionalProperties": False,
}

OUTPUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Output",
    "description": "A part of the narration.",
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"description": "A sentence or two.", "type": "string"}},
}


{{body}}

class Run:
    """What `{{world_file}}` exports."""

    def run(self):
        wire.main(sys.modules[__name__])

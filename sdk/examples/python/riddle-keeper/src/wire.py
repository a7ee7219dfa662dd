"""How a script speaks with Narratoria: one request on stdin, events on stdout, `done` last.

Nothing here is about any skill. Whatever arrives, a proper answer leaves: a script that stops without `done`,
or in the middle of a line, has failed without saying why.
"""

import json
import sys
import traceback

# The host sends far less; this stops a runaway pipe before it takes the component's memory.
REQUEST_BYTES_MAX = 16 << 20

# Levels of arrays and objects in a request. The host sends no more than this, and the parser has only so
# much stack.
DEPTH_MAX = 128

# How much of a value a message quotes.
QUOTE_CHARS_MAX = 80


class Refused(Exception):
    """The script cannot do its work, and says so."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Host:
    """What a script says while it works. Each event is one line, written at once."""

    def __init__(self, emit, read_answer):
        self._emit = emit
        self._read_answer = read_answer

    def log(self, message, level="info"):
        self._say(type="log", level=level, message=message)

    def patch(self, patch):
        """Changes the story's state: objects are merged, None deletes, everything else replaces."""
        self._say(type="state_patch", patch=patch)

    def ui_event(self, event, payload):
        self._say(type="ui_event", event=event, payload=payload)

    def asset(self, asset_id, kind, media_type, path):
        """Announces a file that the script has written into `/assets`; `path` is relative to that folder."""
        self._say(type="asset", assetId=asset_id, kind=kind, mediaType=media_type, path=path)

    def ask(self, question, choices=()):
        """Asks the player and waits for the answer, which may differ from the choices; None if there is none."""
        self.ui_event("ask", {"question": question, "choices": list(choices)})
        line = self._read_answer()
        if not line.strip():
            return None
        return field(parse(line), "answer", str)

    def error(self, code, message):
        self._say(type="error", errorCode=code, errorMessage=message)

    def done(self, ok, **more):
        self._say(type="done", ok=ok, **more)

    def _say(self, **event):
        # ASCII only, and no NaN: always valid UTF-8, always valid JSON.
        line = json.dumps({"version": "0", **event}, allow_nan=False, separators=(",", ":"))
        self._emit(line.encode("ascii") + b"\n")


def answer(data, skill, emit, read_answer=bytes):
    """Answers one request. `skill` has `run(host, request)`, which returns the output, and `INPUT` and
    `OUTPUT`, its schemas. `emit` takes each line as it comes. `read_answer` returns the line that answers a
    question, or no bytes."""
    host = Host(emit, read_answer)
    try:
        request = parse(data)
        operation = request.get("operation") or "run"
        if operation == "describe":
            host.done(True, output={"inputSchema": skill.INPUT, "outputSchema": skill.OUTPUT})
        elif operation == "run":
            host.done(True, output=skill.run(host, request))
        else:
            known = "known are `run` and `describe`"
            raise Refused("UNKNOWN_OPERATION", f"the operation {quote(operation)} is unknown; {known}")
    except Refused as error:
        host.error(error.code, str(error))
        host.done(False, summary=str(error))
    except Exception as error:  # A fault of the script itself; the other way out would be a trap.
        # The host shows its author what is on stderr.
        traceback.print_exc(file=sys.stderr)
        host.error("SCRIPT_FAULT", f"{type(error).__name__}: {error}"[:1000])
        host.done(False, summary="the script has a fault")


def parse(data):
    """The request, an object whose text is all proper Unicode. Nothing at all is the empty request."""
    if len(data) > REQUEST_BYTES_MAX:
        raise Refused("INVALID_REQUEST", f"the request is longer than {REQUEST_BYTES_MAX} bytes")
    if not data.strip():
        return {}
    if depth(data) > DEPTH_MAX:
        raise Refused("INVALID_REQUEST", f"the request nests deeper than {DEPTH_MAX} levels")
    try:
        request = json.loads(data.decode("utf-8"), parse_constant=no_constant)
        # Half a surrogate pair can be written as an escape, and then has no place in UTF-8.
        if b"\\u" in data:
            json.dumps(request, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Refused("INVALID_REQUEST", f"the request is not usable: {error}"[:300]) from None
    if not isinstance(request, dict):
        raise Refused("INVALID_REQUEST", f"the request is {quote(request)}, it must be an object")
    return request


def field(request, name, kind):
    """A field of the request that is an object or whatever `kind` says; an empty one where there is none."""
    value = request.get(name)
    if value is None:
        return kind()
    if not is_a(value, kind):
        raise Refused("INVALID_REQUEST", f"`{name}` is {quote(value)}, it must be {KINDS[kind]}")
    return value


KINDS = {dict: "an object", list: "an array", str: "a string", int: "an integer", bool: "true or false"}


def is_a(value, kind):
    # To Python, True is an integer.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def check_input(value, fields):
    """Checks the input against `{name: (kind, required)}`; other fields are refused."""
    for name in value:
        if name not in fields:
            raise Refused("INVALID_INPUT", f"`input` has no field {quote(name)}")
    for name, (kind, required) in fields.items():
        if name not in value:
            if required:
                raise Refused("INVALID_INPUT", f"`input.{name}` is missing")
        elif not is_a(value[name], kind):
            raise Refused("INVALID_INPUT", f"`input.{name}` is {quote(value[name])}, it must be {KINDS[kind]}")


def quote(value):
    text = json.dumps(value)
    return text if len(text) <= QUOTE_CHARS_MAX else text[:QUOTE_CHARS_MAX] + "…"


def depth(data):
    """How deep the brackets go, those in strings not counted."""
    # Without its escapes, every second part between two quotes is a string.
    outside = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    deepest = level = 0
    for bracket in b"".join(outside).translate(None, delete=NOT_BRACKETS):
        level += 1 if bracket in b"[{" else -1
        deepest = max(deepest, level)
        if deepest > DEPTH_MAX:
            break
    return deepest


NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def main(skill):
    """The whole program."""

    def emit(line):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    def read():
        # To the end, behind which an answer may follow.
        return sys.stdin.buffer.read(REQUEST_BYTES_MAX + 1)

    answer(read(), skill, emit, read)

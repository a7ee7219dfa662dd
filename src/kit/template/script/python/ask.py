NAME_CHARS_MAX = 80


def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    # Waiting does not count as the script's time. The choices are suggestions.
    name = host.ask("Who goes there?", ["A friend", "A stranger"])
    # There may be no player to ask, as in `skill test`.
    name = "a stranger" if name is None else name[:NAME_CHARS_MAX]
    return {"text": f"The guard lets {name} pass."}

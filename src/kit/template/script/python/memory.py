def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    # Every skill with this grant sees the same texts; tags narrow the search.
    known = memory.recall("the ferry", ["place"], 1)
    if known:
        return {"text": known[0].text}
    memory.remember("Mira keeps the ferry.", ["place", "ferry"])
    return {"text": "Nobody has spoken of the ferry yet."}

def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    system = "You describe what a traveller sees, in one or two sentences."
    prose = llm.Request(system, "The harbour at dusk.", max_tokens=80, temperature=0.8, aloud=True)
    try:
        text = llm.generate(prose).text
    except Err:
        # The player may have no model, and `skill test` has none: the script must work without one.
        text = "The harbour is quiet."
    return {"text": text}

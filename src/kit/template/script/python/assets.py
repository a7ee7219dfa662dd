def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    with open("/assets/{{script}}.txt", "w") as file:
        file.write("mill --- ford --- harbour\n")
    # Only a file that is announced is kept with the turn.
    host.asset("map", "map", "text/plain", "{{script}}.txt")
    return {"text": "You draw a map of the way to the harbour."}

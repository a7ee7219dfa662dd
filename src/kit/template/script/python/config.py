def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    # The host fills in the defaults of `config-schema.json`.
    greeting = wire.field(request, "config", dict).get("greeting", "Welcome")
    if not isinstance(greeting, str):
        raise wire.Refused("INVALID_CONFIG", f"`config.greeting` is {wire.quote(greeting)}, it must be a string")
    return {"text": f"{greeting}, traveller."}

def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    host.log("this is where the work begins")
    return {"text": "{{text}}"}

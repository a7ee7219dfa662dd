def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    # Values are text; JSON keeps anything.
    visits = json.loads(store.get("visits") or "0") + 1
    # It is kept only if the script ends well, and undoing the turn undoes it.
    store.set("visits", json.dumps(visits))
    return {"text": f"This is visit number {visits}."}

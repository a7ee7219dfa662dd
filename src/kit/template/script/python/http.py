# Its host is named in `skill.json`, under `grants`.
ADDRESS = "https://api.example.com/sky"

# Longest answer that is told.
SKY_CHARS_MAX = 200


def run(host, request):
    wire.check_input(wire.field(request, "input", dict), {})
    text = "The sky is grey."
    # The player may be offline, and `skill test` always is: the script must work without an answer.
    try:
        answer = fetch.get(ADDRESS)
        if answer.is_ok():
            text = answer.text()[:SKY_CHARS_MAX]
    except fetch.FetchError as error:
        host.log(str(error))
    return {"text": text}

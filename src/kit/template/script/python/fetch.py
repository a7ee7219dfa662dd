"""Requests over HTTP, through `wasi:http`.

The host checks each one against the grant `http` in `skill.json`, and limits their number, size and time. A redirect is
an answer: it is not followed. Nothing here is about any skill.
"""

from componentize_py_types import Err
from wit_world.imports import outgoing_handler, types
from wit_world.imports.streams import StreamError_Closed

# Most bytes that the host takes at once.
WRITE_BYTES_MAX = 4096

# Most bytes that are read at once.
READ_BYTES = 65536

METHODS = {
    "DELETE": types.Method_Delete(),
    "GET": types.Method_Get(),
    "HEAD": types.Method_Head(),
    "PATCH": types.Method_Patch(),
    "POST": types.Method_Post(),
    "PUT": types.Method_Put(),
}

SCHEMES = {"http": types.Scheme_Http(), "https": types.Scheme_Https()}


class FetchError(Exception):
    """There is no answer: the host is not granted, is not reached, or breaks off."""


class Answer:
    """What the host answered; names of headers are in lower case."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def is_ok(self):
        return 200 <= self.status < 300

    def text(self):
        """The body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")


def get(url):
    return send("GET", url)


def post(url, media_type, body):
    return send("POST", url, [("content-type", media_type)], body)


def send(method, url, headers=(), body=b""):
    """Makes a request and reads the whole answer. `headers` are pairs of texts, and `body` is bytes."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme not in SCHEMES or method not in METHODS:
        raise FetchError(f"`{method} {url}` is no request")
    authority, _, path = rest.partition("/")
    try:
        fields = types.Fields()
        for name, value in headers:
            fields.append(name, value.encode())
        request = types.OutgoingRequest(fields)
        request.set_method(METHODS[method])
        request.set_scheme(SCHEMES[scheme])
        request.set_authority(authority)
        request.set_path_with_query("/" + path)
        content = request.body() if body else None
        with outgoing_handler.handle(request, None) as pending:
            if content:
                try:
                    write(content, body)
                except Err:
                    # Nobody takes the content any more; the answer, or its error, says why.
                    pass
            return receive(pending)
    except Err as error:
        raise FetchError(f"there is no answer: {type(error.value).__name__}") from None


def write(content, body):
    with content.write() as stream:
        for at in range(0, len(body), WRITE_BYTES_MAX):
            stream.blocking_write_and_flush(body[at : at + WRITE_BYTES_MAX])
    # The stream is a part of the content, and closed by now.
    types.OutgoingBody.finish(content, None)


def receive(pending):
    with pending.subscribe() as ready:
        ready.block()
    # A result in a result; the outer one is an error only for a second `get`.
    arrived = pending.get().value
    if isinstance(arrived, Err):
        raise arrived
    with arrived.value as response:
        with response.headers() as fields:
            headers = [(name.lower(), value.decode("utf-8", "replace")) for name, value in fields.entries()]
        with response.consume() as content, content.stream() as stream:
            return Answer(response.status(), headers, read(stream))


def read(stream):
    parts = []
    while True:
        try:
            parts.append(stream.blocking_read(READ_BYTES))
        except Err as error:
            if isinstance(error.value, StreamError_Closed):
                return b"".join(parts)
            raise

"""The host in tests: a script runs in an ordinary Python, and the test says what the host answers.

    said = stubs.call(stubs.script("greet"), {}).config({"greeting": "Hail"}).run()
    self.assertEqual(said.output["text"], "Hail, traveller.")

`stubs.script` loads a module of `src` with stubs in place of the bindings that a component has. Nothing here is about any
skill. The host's limits and the grants of `skill.json` do not hold here: `narratoria skill test` runs the component itself.
"""

import builtins
import copy
import importlib
import io
import json
import pathlib
import re
import sys
import tempfile
import types

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
sys.path.insert(0, str(SOURCES))

import wire  # noqa: E402

# The folder of a script's files.
ASSETS = "/assets/"


def script(name):
    """The module of the script of this name."""
    return importlib.import_module(name.replace("-", "_"))


def call(module, given):
    """A call of the script with this input; `run` makes it."""
    return Call(module, given)


class Call:
    """What the host sends and answers. Each method adds to it and returns it."""

    def __init__(self, module, given):
        self._module = module
        self._request = {"requestId": "test", "tool": "tested", "operation": "run", "input": given}
        self._answers = []
        self._kept = {}
        self._remembered = []
        self._pages = []
        self._texts = []
        self._cosine = None

    def seed(self, seed):
        return self._with(seed=seed)

    def state(self, state):
        return self._with(state=state)

    def config(self, config):
        return self._with(config=config)

    def inputs(self, inputs):
        """Sets the outputs of earlier steps."""
        return self._with(inputs=inputs)

    def answer(self, answer):
        """Adds an answer to the script's questions, in order. A question without one stays without answer."""
        self._answers.append(answer)
        return self

    def kept(self, key, value):
        """Adds an entry to the store of the skill. Values are text."""
        self._kept[key] = value
        return self

    def remembered(self, text, tags=()):
        """Adds a text to the story's memory, the oldest first."""
        self._remembered.append(Entry(text, list(tags)))
        return self

    def web_answers(self, url, body, status=200):
        """Adds an answer to one request to this address. Requests without an answer are refused."""
        self._pages.append((url, status, body.encode() if isinstance(body, str) else body))
        return self

    def model_writes(self, text, complete=True):
        """Adds a text of the language model. Each text answers one call; without any, there is no model."""
        self._texts.append(Record(text=text, complete=complete))
        return self

    def model_fails(self, error):
        """Adds a failure of the language model, such as `stubs.llm.Error_TimedOut()`."""
        self._texts.append(error)
        return self

    def texts_compare(self, cosine):
        """Compares texts by this function of two of them. Without it there is no model that compares."""
        self._cosine = cosine
        return self

    def run(self):
        """Runs the script. It may be run again: what it keeps is in the result alone."""
        global _now
        world = copy.copy(self)
        for part in ["_answers", "_kept", "_remembered", "_pages", "_texts"]:
            setattr(world, part, copy.copy(getattr(self, part)))
        world.requests, world.prose, lines = [], [], []
        with tempfile.TemporaryDirectory() as folder:
            before, opened = _now, builtins.open
            _now = world
            builtins.open = io.open = _open_in(folder, opened)
            try:
                request = json.dumps(self._request).encode()
                wire.answer(request, self._module, lines.append, world._read_answer)
            finally:
                _now, builtins.open, io.open = before, opened, opened
            paths = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
            files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        return Result(lines, world, files)

    def _with(self, **fields):
        self._request.update(fields)
        return self

    def _read_answer(self):
        if not self._answers:
            return b""
        return json.dumps({"answer": self._answers.pop(0)}).encode() + b"\n"


class Result:
    """What came of a call. The host stores changes only if `ok` is true."""

    def __init__(self, lines, world, files):
        *self.events, done = [json.loads(line) for line in lines]
        self.ok = done["ok"]
        self.summary = done.get("summary")
        self.output = done.get("output", {})
        # The store and the memory afterwards, the requests to hosts and to the model, and the files in `/assets`.
        self.kept = world._kept
        self.remembered = world._remembered
        self.requests = world.requests
        self.prose = world.prose
        self.files = files

    @property
    def error_code(self):
        """The code of the last error; None if there was none."""
        codes = [event["errorCode"] for event in self.events if event["type"] == "error"]
        return codes[-1] if codes else None

    @property
    def patches(self):
        """The changes of the state, in order."""
        return [event["patch"] for event in self.events if event["type"] == "state_patch"]


class Record:
    """Plain fields, which compare by their values."""

    def __init__(self, **fields):
        vars(self).update(fields)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self):
        return f"{type(self).__name__}({vars(self)})"


# ---- the bindings ---------------------------------------------------------------------------------------------

# The call that is running.
_now = None


class Err(Exception):
    """An error of the host."""

    def __init__(self, value):
        super().__init__(value)
        self.value = value


class Entry(Record):
    def __init__(self, text, tags):
        super().__init__(text=text, tags=tags)


class Request(Record):
    def __init__(self, system, prompt, max_tokens, temperature, aloud):
        super().__init__(
            system=system, prompt=prompt, max_tokens=max_tokens, temperature=temperature, aloud=aloud
        )


def _case(name):
    """A case of a variant, with a value or without one."""

    class Case(Record):
        def __init__(self, value=None):
            super().__init__(value=value)

    Case.__name__ = name
    return Case


def _cases(variant, *names):
    return {f"{variant}_{name}": _case(f"{variant}_{name}") for name in names}


def _module(name, **parts):
    module = types.ModuleType(name)
    vars(module).update(parts)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    return module


def _set(key, value):
    _now._kept[key] = value


def _remember(text, tags):
    _now._remembered.append(Entry(text, list(tags)))


def _recall(query, tags, max):
    """Counts whole words, whatever their case; the host knows their stems as well."""
    words = lambda text: set(re.findall(r"\w+", text.lower()))  # noqa: E731
    wanted = words(query)
    worth = lambda one: len(words(" ".join([one.text, *one.tags])) & wanted) if wanted else 1  # noqa: E731
    has_tags = lambda one: {tag.lower() for tag in tags} <= {tag.lower() for tag in one.tags}  # noqa: E731
    found = [one for one in reversed(_now._remembered) if has_tags(one) and worth(one) > 0]
    return sorted(found, key=worth, reverse=True)[:max]


def _generate(request):
    _now.prose.append(request)
    if not _now._texts:
        raise Err(llm.Error_Unavailable("there is no language model"))
    reply = _now._texts.pop(0)
    if isinstance(reply, Record) and hasattr(reply, "text"):
        return reply
    raise Err(reply)


def _compare(text, others):
    if _now._cosine is None:
        raise Err(meaning.Error_Unavailable("there is no model that compares texts"))
    return [_now._cosine(text, other) for other in others]


_ERRORS = ["Unavailable", "Refused", "TimedOut", "Failed"]

_module("componentize_py_types", Err=Err)
_module("wit_world")
_module("wit_world.imports")
store = _module(
    "wit_world.imports.store",
    get=lambda key: _now._kept.get(key),
    set=_set,
    delete=lambda key: _now._kept.pop(key, None) and None,
    list=lambda prefix: sorted(key for key in _now._kept if key.startswith(prefix)),
)
memory = _module("wit_world.imports.memory", Entry=Entry, remember=_remember, recall=_recall)
llm = _module(
    "wit_world.imports.llm", Request=Request, generate=_generate, **_cases("Error", *_ERRORS)
)
meaning = _module("wit_world.imports.meaning", compare=_compare, **_cases("Error", *_ERRORS))


def _open_in(folder, opened):
    """`open`, with `/assets` in this folder."""

    def open_there(path, *args, **more):
        if isinstance(path, (str, pathlib.Path)) and str(path).startswith(ASSETS):
            path = pathlib.Path(folder) / str(path)[len(ASSETS) :]
        return opened(path, *args, **more)

    return open_there


# ---- HTTP -----------------------------------------------------------------------------------------------------


class _Resource:
    """What a script closes by `with`."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class Fields(_Resource):
    def __init__(self):
        self._entries = []

    def append(self, name, value):
        self._entries.append((name, value))

    def entries(self):
        return self._entries


class OutgoingBody(_Resource):
    def __init__(self):
        self.content = b""

    def write(self):
        return self

    def blocking_write_and_flush(self, part):
        self.content += part

    @staticmethod
    def finish(body, trailers):
        return None


class OutgoingRequest(_Resource):
    def __init__(self, headers):
        self.method, self.headers, self._body = "GET", headers.entries(), OutgoingBody()

    def set_method(self, method):
        self.method = type(method).__name__.removeprefix("Method_").upper()

    def set_scheme(self, scheme):
        self._scheme = type(scheme).__name__.removeprefix("Scheme_").lower()

    def set_authority(self, authority):
        self._authority = authority

    def set_path_with_query(self, path):
        self._path = path

    def body(self):
        return self._body

    @property
    def url(self):
        return f"{self._scheme}://{self._authority}{self._path}"

    @property
    def content(self):
        return self._body.content


class _Response(_Resource):
    """The answer, its body and the stream of it in one."""

    def __init__(self, status, content):
        self._status, self._content = status, content
        # A result in a result, which is there at once.
        self.value = self

    def status(self):
        return self._status

    def headers(self):
        return Fields()

    def consume(self):
        return self

    def stream(self):
        return self

    def blocking_read(self, most):
        if not self._content:
            raise Err(_STREAMS["StreamError_Closed"]())
        part, self._content = self._content[:most], self._content[most:]
        return part

    def subscribe(self):
        return self

    def block(self):
        return None

    def get(self):
        return self


def _handle(request, options):
    _now.requests.append(request)
    for idx, (url, status, body) in enumerate(_now._pages):
        if url == request.url:
            del _now._pages[idx]
            return _Response(status, body)
    raise Err(_TYPES["ErrorCode_HttpRequestDenied"]())


_TYPES = {
    **_cases("Method", "Delete", "Get", "Head", "Patch", "Post", "Put", "Other"),
    **_cases("Scheme", "Http", "Https", "Other"),
    **_cases("ErrorCode", "HttpRequestDenied"),
}
_STREAMS = _cases("StreamError", "Closed", "LastOperationFailed")
_module(
    "wit_world.imports.types",
    Fields=Fields,
    OutgoingBody=OutgoingBody,
    OutgoingRequest=OutgoingRequest,
    **_TYPES,
)
_module("wit_world.imports.outgoing_handler", handle=_handle)
_module("wit_world.imports.streams", **_STREAMS)

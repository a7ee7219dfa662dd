"""Runs the source that the host writes before a request, while its author works on it (`narratoria skill dev`)."""

import importlib
import importlib.abc
import importlib.util
import json
import sys
import traceback

# A component has only the modules that were imported when it was made.
for name in IMPORTED:
    try:
        importlib.import_module(name)
    except Exception:  # `from a import b`: not every `a.b` is a module.
        pass


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules from texts: `{name: [path, text, whether it is a package]}`."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=self.modules[name][2])

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path, text, _ = self.modules[module.__name__]
        exec(compile(text, path, "exec"), module.__dict__)


class Run:
    """What the world exports."""

    def run(self):
        stdin = sys.stdin.buffer
        bundle = json.loads(stdin.read(int(stdin.read(HEAD_BYTES))))
        sys.meta_path.insert(0, Sources(bundle["modules"]))
        try:
            app = importlib.import_module(bundle["entry"])
        except Exception as error:
            message = "".join(traceback.format_exception_only(error)).rstrip()
            code = "SOURCE_NOT_LOADED"
            if isinstance(error, SyntaxError):
                code = "SOURCE_SYNTAX"
                message = f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
            for event in (
                {"type": "error", "errorCode": code, "errorMessage": message[:2000]},
                {"type": "done", "ok": False, "summary": message[:200]},
            ):
                print(json.dumps({"version": "0", **event}), flush=True)
            return
        app.Run().run()

#!/usr/bin/env python3
"""Opens an exported page in a browser without a network, and says what is wrong with it.

  usage: htmlcheck.py BROWSER PAGE PICTURES

PICTURES is the number of pictures that the page must show. Fails if the browser reports an error, if the page asks for
anything beside itself, or if a picture is not shown. Speaks to the browser by its debugging protocol over two pipes, so
that it needs nothing but Python.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading

SECONDS_MAX = 60

# Waits until every picture is decoded or broken.
SHOWN = """Promise.all([...document.images].map(image => image.decode().catch(() => {}))).then(() => ({
  pictures: [...document.images].filter(image => image.complete && image.naturalWidth > 0).length,
  broken: [...document.images].filter(image => image.naturalWidth == 0).map(image => image.alt),
  turns: document.querySelectorAll('section').length,
  scripts: document.scripts.length,
  text: document.body.innerText.length,
}))"""


class Browser:
    """A browser that takes commands on its file 3 and answers on its file 4."""

    def __init__(self, program, folder):
        command_read, self.command_write = os.pipe()
        self.answer_read, answer_write = os.pipe()
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank",
        ]
        shell = f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, program, *options],
            pass_fds=(command_read, answer_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        self.bytes, self.last, self.events = b"", 0, []
        self.watch = threading.Timer(SECONDS_MAX, self.process.kill)
        self.watch.start()

    def next(self):
        while b"\0" not in self.bytes:
            piece = os.read(self.answer_read, 1 << 16)
            if not piece:
                sys.exit("htmlcheck: the browser ended, or took more than %d s" % SECONDS_MAX)
            self.bytes += piece
        line, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(line)

    def ask(self, method, session=None, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.command_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"htmlcheck: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.next())

    def close(self):
        self.watch.cancel()
        self.process.kill()
        self.process.wait()


def faults_of(event, page):
    """What an event of the browser says against the page."""
    method, params = event.get("method"), event.get("params", {})
    if method == "Network.requestWillBeSent":
        address = params["request"]["url"]
        if address != page and not address.startswith("data:"):
            yield f"it asks for {address}"
    elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
        yield f"{params['entry']['source']}: {params['entry']['text']}"
    elif method == "Runtime.consoleAPICalled":
        yield f"the console has {params['type']}"
    elif method == "Runtime.exceptionThrown":
        yield f"it throws {params['exceptionDetails']['text']}"
    elif method == "Page.javascriptDialogOpening":
        yield "it opens a dialog"


def main():
    program, file, pictures = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
    page = "file://" + file
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, folder)
        try:
            target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
            session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Network", "Log", "Runtime", "Page"):
                browser.ask(f"{domain}.enable", session)
            browser.ask("Network.emulateNetworkConditions", session,
                        offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
            browser.events.clear()
            browser.ask("Page.navigate", session, url=page)
            browser.wait_for("Page.loadEventFired")
            shown = browser.ask("Runtime.evaluate", session, expression=SHOWN,
                                awaitPromise=True, returnByValue=True)["result"]["value"]
            version = browser.ask("Browser.getVersion")["product"]
        finally:
            browser.close()
    faults = [fault for event in browser.events for fault in faults_of(event, page)]
    if shown["pictures"] != pictures or shown["broken"]:
        faults.append(f"it shows {shown['pictures']} of {pictures} pictures, broken: {shown['broken']}")
    if shown["scripts"] or not shown["text"]:
        faults.append(f"it has {shown['scripts']} scripts and {shown['text']} letters")
    print(json.dumps({"browser": version, **shown, "faults": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

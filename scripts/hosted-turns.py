#!/usr/bin/env python3
"""Measures turns of `narratoria serve` without a model: with stories of this machine alone, and with stories in a database.

  usage: hosted-turns.py [NARRATORIA] [--turns N]

Plays the same sentences of a campaign through three servers, in turns: stories of the machine, stories in a file of SQLite, and stories
in a PostgreSQL of its own with the settings that it comes with, so each change is on the disk. Prints the time from a line to the end of
its turn, as a browser sees it: median, 95th and 99th percentile, and how much more the 95th is than on the machine alone. Run it on a
quiet machine.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from own_postgres import Postgres

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAMPAIGN = "last-reading"
SENTENCES = ["look around", "go north", "examine the desk", "go south", "take the lamp", "drop the lamp", "wait"]
TURN_SECONDS_MAX = 60


class Server:
    """`narratoria serve` with a fresh home, and a story in play."""

    def __init__(self, program, home, more):
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "NARRATORIA_HOME": str(home / "home")}
        command = [program, "serve", "--port", "0", "--no-open", "--format", "json", "--planner", "lexical", *more]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = json.loads(self.process.stdout.readline())["url"]
        address, token = url.split("/#t=")
        self.port = int(address.rsplit(":", 1)[1])
        self.headers = {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        answer = self.post("/api/session", {"token": token})
        self.headers["Cookie"] = answer.getheader("set-cookie").split(";")[0]
        answer = self.post("/api/stories", {"requestId": "create", "campaign": CAMPAIGN})
        self.story = json.loads(answer.body)["story"]
        stream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TURN_SECONDS_MAX)
        stream.request("GET", f"/api/stories/{self.story}/events", headers=self.headers)
        self.events = stream.getresponse()
        self.turns = 0
        self.until("ready")
        # The opening of the campaign is a turn.
        self.turns = 1

    def post(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TURN_SECONDS_MAX)
        headers = {**self.headers, "Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.body = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"hosted-turns: {path}: {answer.status} {answer.body.decode()}")
        return answer

    def until(self, kind):
        """Reads events up to one of this kind, or an update of it."""
        while line := self.events.readline().decode():
            if line.strip() == f"event: {kind}" or f'"type":"{kind}"' in line:
                return
        raise SystemExit("hosted-turns: the server ended")

    def turn(self, sentence):
        """Seconds from the line to the end of its turn."""
        began = time.monotonic()
        body = {"requestId": f"t{self.turns}", "after": self.turns, "text": sentence}
        self.post(f"/api/stories/{self.story}/lines", body)
        self.until("turn.finished")
        took = time.monotonic() - began
        self.turns += 1
        self.until("ready")
        return took

    def stop(self):
        self.process.terminate()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/release/narratoria"))
    parser.add_argument("--turns", type=int, default=200)
    args = parser.parse_args()
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            places = {
                "this machine": [],
                "SQLite": ["--database", f"sqlite:{folder}/stories.db"],
                "PostgreSQL": ["--database", postgres.url],
            }
            servers = {}
            for number, (name, more) in enumerate(places.items()):
                home = folder / str(number)
                home.mkdir()
                servers[name] = Server(args.program, home, more)
            times = {name: [] for name in servers}
            for nth in range(args.turns):
                for name, server in servers.items():
                    times[name].append(server.turn(SENTENCES[nth % len(SENTENCES)]))
            for server in servers.values():
                server.stop()
    finally:
        postgres.stop()
    base = None
    for name, took in times.items():
        parts = statistics.quantiles(sorted(took), n=100)
        base = parts[94] if base is None else base
        more = (parts[94] - base) * 1000
        print(f"{name:13} median {statistics.median(took) * 1000:6.1f} ms, p95 {parts[94] * 1000:6.1f}, p99 {parts[98] * 1000:6.1f}, p95 more {more:+.1f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures a fleet for checks: the real program, real packages, a real PostgreSQL.

  usage: fleet.py [NARRATORIA] [--seeds N] [--files N] [--workers 1,2,4,8] [--isolation auto] [--idle SECONDS]

It does two sets of checks, first on one machine without a queue and then by 1, 2, 4 and 8 workers:

- `--files` packages that the host does not load, so that only their files and rules are checked: a part is done in less than a
  millisecond, and so these are the most claims a second;
- the built-in skills with `--seeds` seeds: real scripts, most of their parts are hostile requests.

For each it prints parts a second from the first result to the last, the cores that workers and the database used, and the overhead
of a part: the processor time of workers and database beyond what the check without a queue takes for it, once everything is compiled.
No sentence is looked up by its meaning, as no worker does. The clients, which pack and report, have a column of their own. In the end it
prints what eight workers and the database use when there is nothing to do.

Every set of workers has a new server, with the settings that PostgreSQL comes with, on a socket in a temporary folder;
NARRATORIA_POSTGRES_BIN names the folder of its programs. Run it on a quiet machine.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from own_postgres import Postgres

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT_IN = "character character-portraits dice-roller location memory npc-perception player-choices plot reputation storyteller".split()
TICKS = os.sysconf("SC_CLK_TCK")
SOURCES = sorted((ROOT / "contracts/eval/practice").iterdir()) + sorted((ROOT / "contracts/eval/strangers").iterdir())


def write_packages(folder, count):
    """So many packages without a script, each with its own digest."""
    packages = []
    for nth in range(count):
        source = SOURCES[nth % len(SOURCES)]
        package = folder / str(nth) / source.name
        shutil.copytree(source, package)
        packages.append(package)
        (package / "NOTES.md").write_text(f"Copy {nth}.\n")
        manifest = package / "skill.json"
        manifest.write_text(manifest.read_text().replace('"scripts"', '"scrolls"', 1))
    return packages


def processor_seconds(pids):
    """Processor time of processes and all below them, those that have ended too."""
    children, times = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry))
            times[int(entry)] = sum(int(field) for field in fields[11:15])
    waiting, total = list(pids), 0
    while waiting:
        pid = waiting.pop()
        total += times.get(pid, 0)
        waiting.extend(children.get(pid, []))
    return total / TICKS


class Bench:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.homes = 0

    def start(self, *command, home=None):
        self.homes += 1
        home = home or self.folder / f"home{self.homes}"
        home.mkdir(exist_ok=True)
        # No model of sentence vectors.
        (home / "config.toml").write_text('[model]\nembedding = "/nowhere.gguf"\n')
        env = dict(PATH="/usr/bin:/bin", NARRATORIA_HOME=str(home), NARRATORIA_OFFLINE="1", TMPDIR=str(self.folder))
        command = [self.args.program, *[str(part) for part in command]]
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self, packages, seed, *more, home=None):
        command = ["skill", "check", *packages, "--seed", seed, "--time-budget", 3600, "--format", "json", *more]
        return self.start(*command, home=home)

    def end(self, process):
        """Waits for a check; returns its processor time."""
        _, status, used = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            raise SystemExit("fleet: the check has failed")
        return used.ru_utime + used.ru_stime

    def alone(self, packages, seeds):
        """The checks without a queue: their time and their processor time, after one that has compiled everything."""
        home = self.folder / "alone"
        self.end(self.check(packages, 0, home=home))
        began = time.monotonic()
        used = sum(self.end(self.check(packages, seed, home=home)) for seed in seeds)
        return time.monotonic() - began, used

    def fleet(self, packages, seeds, count):
        """One row: a check by so many workers, with a server of their own."""
        server = Postgres()
        blobs = tempfile.mkdtemp(dir=self.folder)
        queue = ["--queue", server.url, "--blobs", blobs]
        workers = [self.start("worker", *queue, "--isolation", self.args.isolation) for _ in range(count)]
        until = time.monotonic() + 60
        connected = "SELECT count(DISTINCT pid) FROM pg_stat_activity WHERE application_name = 'narratoria queue'"
        while int(server.ask(connected)) < count:
            if time.monotonic() > until:
                raise SystemExit("fleet: the workers do not come")
        pids = [worker.pid for worker in workers]
        before = processor_seconds(pids), processor_seconds([server.process.pid])
        clients = [self.check(packages, seed, *queue) for seed in seeds]
        client = sum(self.end(process) for process in clients)
        after = processor_seconds(pids), processor_seconds([server.process.pid])
        done, given_up, seconds = server.ask(
            "SELECT count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state <> 'done'),"
            " extract(epoch FROM max(changed) - min(changed)) FROM narratoria_work"
        ).split("|")
        idle = None
        if self.args.idle and count == max(self.args.workers):
            time.sleep(3)  # Until all have come to their longest wait.
            begun = processor_seconds(pids) + processor_seconds([server.process.pid])
            time.sleep(self.args.idle)
            idle = (processor_seconds(pids) + processor_seconds([server.process.pid]) - begun) / self.args.idle
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
        server.stop()
        row = dict(parts=int(done), given_up=int(given_up), seconds=float(seconds), client=client, idle=idle)
        row["workers"], row["database"] = after[0] - before[0], after[1] - before[1]
        return row


def measure(bench, name, packages, seeds, counts):
    took, alone = bench.alone(packages, seeds)
    print(f"\n{name}: {len(packages) * len(seeds)} packages; without a queue {took:.1f} s, {alone:.1f} s of processor time\n")
    print("| workers | parts | parts a second | cores | own time of a part | overhead: workers | database | of the part | client |")
    print("|---|---|---|---|---|---|---|---|---|")
    for count in counts:
        row = bench.fleet(packages, seeds, count)
        parts = row["parts"]
        if row["given_up"]:
            print(f"fleet: {row['given_up']} parts were given up", file=sys.stderr)
        own = alone / parts
        worker, database = (row["workers"] - alone) / parts, row["database"] / parts
        cores = (row["workers"] + row["database"]) / row["seconds"]
        print(
            f"| {count} | {parts} | {(parts - 1) / row['seconds']:.1f} | {cores:.2f} | {own * 1000:.1f} ms | {worker * 1000:.2f} ms"
            f" | {database * 1000:.2f} ms | {100 * (worker + database) / own:.1f} % | {1000 * row['client'] / parts:.2f} ms |",
            flush=True,
        )
        if row["idle"] is not None:
            print(f"\n{count} workers without work and the database use {100 * row['idle']:.1f} % of a core", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/release/narratoria"), type=os.path.abspath)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--workers", type=lambda text: [int(one) for one in text.split(",")], default=[1, 2, 4, 8])
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--idle", type=float, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet") as folder:
        os.chmod(folder, 0o755)
        bench = Bench(args, pathlib.Path(folder))
        if args.files:
            packages = write_packages(pathlib.Path(folder) / "files", args.files)
            measure(bench, "files and rules", packages, [1], args.workers)
            args.idle = 0
        if args.seeds:
            measure(bench, "scripts", BUILT_IN, range(1, args.seeds + 1), args.workers)


main()

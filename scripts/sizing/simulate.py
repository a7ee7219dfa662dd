#!/usr/bin/env python3
"""How many servers, cores and model slots so many players need, by a discrete-event simulation of hosted stories.

A turn waits for a core of its server, plays there, waits for a slot of the models if a model takes part, and is inserted in the
database, whose commits wait for each other. Players think, type a sentence, wait for the turn and think again. The costs come
from a file; each of its figures says which command measured it. Everything else is an argument with its default in `--help`.

  usage: simulate.py [--costs FILE] [--players N,N,...] [--model-share P] [--seconds S] [--seed N] [--format table|json]
         simulate.py --closed PLAYERS --cores N --think S     one server, as a real one is measured: what to compare with
         simulate.py --self-test                              compares queues with Erlang's formulas
"""

import argparse
import heapq
import json
import math
import random
import statistics
import sys
from pathlib import Path

# Most players of one simulated cell of servers, models and databases.
CELL_PLAYERS = 250_000

COSTS = Path(__file__).with_name("costs.json")


class Station:
    """So many equal places with one queue, first come first served."""

    def __init__(self, places):
        self.places = places
        self.free = places
        self.queue = []
        self.head = 0
        self.busy = 0.0

    def utilisation(self, seconds):
        return self.busy / (self.places * seconds)


class Simulation:
    """Turns that go through stations in order. A station is entered at its own queue; `routes` chooses one of several servers."""

    def __init__(self, seed):
        self.now = 0.0
        self.events = []
        self.count = 0
        self.random = random.Random(seed)

    def at(self, time, action):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, action))

    def run(self, until):
        while self.events and self.events[0][0] <= until:
            self.now, _, action = heapq.heappop(self.events)
            action()
        self.now = until

    def serve(self, station, seconds, then):
        """Holds a place of the station for this long, then goes on."""
        if station.free == 0:
            station.queue.append((seconds, then))
            return
        station.free -= 1
        self._hold(station, seconds, then)

    def _hold(self, station, seconds, then):
        def leave():
            station.busy += seconds
            if station.head < len(station.queue):
                queued = station.queue[station.head]
                station.head += 1
                if station.head > 10_000 and station.head * 2 > len(station.queue):
                    del station.queue[: station.head]
                    station.head = 0
                self._hold(station, *queued)
            else:
                station.free += 1
            then()

        self.at(self.now + seconds, leave)


def lognormal(random_, median, p95):
    """A time with this median and 95th percentile."""
    sigma = math.log(max(p95, median * 1.0001) / median) / 1.6449
    return median * math.exp(random_.gauss(0.0, sigma))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)] if values else float("nan")


class Hosting:
    """Servers, models and one database. `players` play at the same time; each has a story of its own on one server."""

    def __init__(self, costs, players, servers, cores, slots, databases, database_cores, model_share, think, seed):
        self.costs = costs
        self.simulation = Simulation(seed)
        self.servers = [Station(cores) for _ in range(servers)]
        self.models = Station(max(1, slots))
        # What a change costs there is processor time: one flush of its log carries the changes of many stories.
        self.databases = [Station(database_cores) for _ in range(databases)]
        self.model_share = model_share
        self.think = think
        self.players = players
        self.plain, self.with_model = [], []
        self.finished = 0

    def run(self, seconds, warm_up):
        draw = self.simulation.random
        for player in range(self.players):
            # Begun anywhere in their thinking, so that nothing happens in step.
            self.simulation.at(draw.random() * self.think, lambda player=player: self.turn(player))
        self.warm_up = warm_up
        self.simulation.run(seconds + warm_up)
        return self

    def turn(self, player):
        simulation, costs, draw = self.simulation, self.costs, self.simulation.random
        begun = simulation.now
        has_model = draw.random() < self.model_share
        server = self.servers[player % len(self.servers)]
        database = self.databases[player % len(self.databases)]
        played = lognormal(draw, costs["turn_cpu"]["median"], costs["turn_cpu"]["p95"])
        commit = lognormal(draw, costs["commit"]["median"], costs["commit"]["p95"])

        def end():
            taken = simulation.now - begun
            if begun >= self.warm_up:
                (self.with_model if has_model else self.plain).append(taken)
                self.finished += 1
            thought = draw.expovariate(1.0 / self.think)
            simulation.at(simulation.now + thought, lambda: self.turn(player))

        def insert():
            simulation.serve(database, commit, end)

        def model():
            if not has_model:
                return insert()
            asked = lognormal(draw, costs["model"]["median"], costs["model"]["p95"])
            simulation.serve(self.models, asked, insert)

        simulation.serve(server, played, model)


def fitting(costs, players, args):
    """The fewest servers, and then the fewest slots, with which the aims hold."""
    rate = players / args.think
    servers = max(1, math.ceil(rate * costs["turn_cpu"]["median"] / (args.cores * 0.8)))
    databases = max(1, math.ceil(rate * costs["commit"]["median"] / (args.database_cores * 0.6)))
    # A slot that works nine tenths of its time.
    slots = max(1, math.ceil(rate * args.model_share * costs["model"]["median"] / 0.9)) if args.model_share else 0
    for _ in range(40):
        played = Hosting(
            costs, players, servers, args.cores, slots, databases, args.database_cores, args.model_share, args.think, args.seed
        )
        seconds = min(args.seconds, max(20.0, args.turns_max / rate))
        # Until queues are as long as they stay: two rounds of thinking, or less where the run is short.
        played.run(seconds, min(2 * args.think, seconds))
        slow_plain = percentile(played.plain, 0.95) > args.plain_p95
        slow_model = args.model_share and percentile(played.with_model, 0.95) > args.model_p95
        busiest = max(station.utilisation(played.simulation.now) for station in played.servers)
        if slow_model and played.models.utilisation(played.simulation.now) > 0.5:
            slots = math.ceil(slots * 1.15) + 1
        elif slow_plain and busiest > 0.5:
            servers = math.ceil(servers * 1.15) + (servers < 8)
        else:
            break
    return played, servers, slots, databases


def row(costs, players, args):
    # Stories know nothing of each other: more players than one cell has are more cells.
    cells = math.ceil(players / CELL_PLAYERS)
    played, servers, slots, databases = fitting(costs, math.ceil(players / cells), args)
    servers, slots, databases = servers * cells, slots * cells, databases * cells
    time = played.simulation.now
    rate = players / args.think
    prices = costs["prices"]
    cores = servers * args.cores + databases * args.database_cores
    hourly = cores * prices["core_hour"] + slots * prices["model_slot_hour"]
    shares = {
        "cores": statistics.fmean(station.utilisation(time) for station in played.servers),
        "models": played.models.utilisation(time) if slots else 0.0,
        "databases": statistics.fmean(station.utilisation(time) for station in played.databases),
    }
    return {
        "players": players,
        "turns_per_second": round(rate, 1),
        "servers": servers,
        "model_slots": slots,
        "plain_p95_ms": round(1000 * percentile(played.plain, 0.95), 1),
        "model_p95_s": round(percentile(played.with_model, 0.95), 1) if played.with_model else None,
        "busy": {name: round(share, 2) for name, share in shares.items()},
        "bottleneck": max(shares, key=shares.get),
        "databases": databases,
        "rows_per_day_gb": round(rate * 86400 * costs["line_bytes"]["value"] / 1e9, 2),
        "price_per_1000_turns": round(hourly / (rate * 3600) * 1000, 4),
    }


def table(rows):
    names = [
        ("players", "players at once"), ("turns_per_second", "turns/s"), ("servers", "servers"), ("model_slots", "model slots"),
        ("databases", "databases"), ("plain_p95_ms", "p95 without model, ms"), ("model_p95_s", "p95 with model, s"),
        ("bottleneck", "fullest"), ("rows_per_day_gb", "rows, GB a day"), ("price_per_1000_turns", "price of 1,000 turns"),
    ]
    print("| " + " | ".join(title for _, title in names) + " |")
    print("|" + "---|" * len(names))
    for one in rows:
        cells = []
        for name, _ in names:
            value = one[name]
            if name == "bottleneck":
                value = f"{value} ({one['busy'][value]:.0%})"
            cells.append("–" if value is None else f"{value:,}" if isinstance(value, int) else str(value))
        print("| " + " | ".join(cells) + " |")


def closed(costs, args):
    """One server, its players in a closed loop, as a real one is measured."""
    played = Hosting(costs, args.closed, 1, args.cores, 1, 1, args.cores, 0.0, args.think, args.seed).run(args.seconds, min(10.0, args.seconds))
    rate = played.finished / args.seconds
    print(
        f"{args.closed} players, {args.cores} cores, thinking {args.think} s: {rate:.1f} turns/s, median "
        f"{1000 * percentile(played.plain, 0.5):.1f} ms, p95 {1000 * percentile(played.plain, 0.95):.1f} ms, p99 "
        f"{1000 * percentile(played.plain, 0.99):.1f} ms, cores {played.servers[0].utilisation(played.simulation.now):.0%} busy"
    )


def erlang_wait(places, load):
    """The mean wait in units of the service time: M/M/c, Erlang C."""
    below = sum(load**k / math.factorial(k) for k in range(places))
    full = load**places / math.factorial(places) * places / (places - load)
    return full / (below + full) / (places - load)


def self_test():
    for places, load in [(1, 0.5), (1, 0.8), (4, 3.0), (16, 14.0)]:
        simulation, station, waits = Simulation(7), Station(places), []

        def arrive():
            begun, service = simulation.now, simulation.random.expovariate(1.0)
            simulation.serve(station, service, lambda: waits.append(simulation.now - begun - service))
            simulation.at(simulation.now + simulation.random.expovariate(load), arrive)

        simulation.at(0.0, arrive)
        simulation.run(60_000 / load * 4)
        mean, expected = statistics.fmean(waits[1000:]), erlang_wait(places, load)
        busy = station.utilisation(simulation.now)
        print(f"M/M/{places} at load {load}: waits {mean:.3f}, Erlang C {expected:.3f}; busy {busy:.3f} of {load / places:.3f}")
        if abs(mean - expected) > 0.08 * max(expected, 0.05) or abs(busy - load / places) > 0.01:
            sys.exit("the simulation does not queue as Erlang's formulas say")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--costs", type=Path, default=COSTS, help="measured costs [default: costs.json beside this script]")
    parser.add_argument("--players", default="1000,10000,100000,1000000", help="players at the same time, several with commas")
    parser.add_argument("--model-share", type=float, default=0.0, help="share of turns in which a model takes part [0]")
    parser.add_argument("--think", type=float, default=45.0, help="mean seconds from a turn to the next sentence [45]")
    parser.add_argument("--cores", type=int, default=8, help="cores of a server [8]")
    parser.add_argument("--database-cores", type=int, default=16, help="cores of a database [16]")
    parser.add_argument("--plain-p95", type=float, default=0.1, help="aim: p95 of a turn without a model, in seconds [0.1]")
    parser.add_argument("--model-p95", type=float, default=20.0, help="aim: p95 of a turn with a model, in seconds [20]")
    parser.add_argument("--seconds", type=float, default=300.0, help="simulated time, behind a warm-up [300]")
    parser.add_argument("--turns-max", type=float, default=150_000, help="turns of one run at most; large ones are shorter [150000]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    parser.add_argument("--closed", type=int, metavar="PLAYERS", help="one server in a closed loop")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    costs = json.loads(args.costs.read_text())
    if args.closed:
        return closed(costs, args)
    rows = [row(costs, int(players), args) for players in args.players.split(",")]
    if args.format == "json":
        print(json.dumps(rows, indent=2))
    else:
        table(rows)


if __name__ == "__main__":
    main()

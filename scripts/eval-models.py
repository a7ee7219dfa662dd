#!/usr/bin/env python3
"""Runs all evaluations of planners, without a model and with each model, and compares two such reports.

    eval-models.py run PROGRAM MODELS_FOLDER OUT_FOLDER [--timeout MS] [--only NAME]…
    eval-models.py compare OLD.json NEW.json

`run` writes report.json, report.txt and report.html. Each rate has the interval that holds the true one with 95 %. Times depend on
the machine and on what else it does, so its cores and its load are in the report, and two reports are compared in rates.
"""

import argparse
import datetime
import html
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVAL = ROOT / "contracts" / "eval"

# Name, file, folder of packages. The last ones were not used to make any planner.
SETS = [
    ("practice", "practice.jsonl", "practice"),
    ("narratoria", "narratoria.jsonl", None),
    ("world", "world.jsonl", None),
    ("hostile-skills", "hostile-skills.jsonl", "hostile-skills"),
    ("held-out", "held-out.jsonl", None),
    ("strangers", "strangers.jsonl", "strangers"),
]


def machine():
    """What the times depend on."""
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "system": platform.system(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def evaluate(program, name, file, packages, model, timeout):
    """One evaluation, as the program reports it."""
    with tempfile.TemporaryDirectory() as home:
        command = [program, "eval", EVAL / file, "--format", "json", "--timeout", str(timeout)]
        if packages:
            command += ["--skills", EVAL / packages]
        command += ["--model", model] if model else ["--planner", "lexical"]
        before = os.getloadavg()[0]
        ran = subprocess.run(
            [str(part) for part in command],
            env={**os.environ, "NARRATORIA_HOME": home},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            sys.exit(f"{name}: `narratoria eval` ended with {ran.returncode}")
        return {"set": name, "model": Path(model).stem if model else None, "loadBefore": before, "report": json.loads(ran.stdout)}


def interval(score):
    low, high = score["byItselfInterval"]
    return f"{score['byItself']} of {score['of']} ({score['byItselfRate']:.1%}, {low:.1%} to {high:.1%})"


def rows(document):
    """The lines of the table: set, planner, valid, right, fields, times."""
    for result in document["results"]:
        report = result["report"]
        fields = report["fields"]
        latency = report["latencyMs"] or {"p50": 0, "p95": 0}
        yield [
            result["set"],
            result["model"] or "no model",
            interval(report["validPlans"]),
            interval(report["rightSkills"]),
            f"{fields['right']} of {fields['chosen']}" if fields["chosen"] else "",
            f"{latency['p50']:.0f} ms",
            f"{latency['p95']:.0f} ms",
        ]


def about(document):
    """What the figures depend on, in a line."""
    machine = document["machine"]
    return f"{document['date']}, {machine['cores']} cores, load {machine['load'][0]} before, {document['timeoutMs']} ms a plan"


HEADINGS = ["SET", "MODEL", "VALID PLANS", "RIGHT SKILLS", "RIGHT FIELDS", "P50", "P95"]


def as_text(document):
    table = [HEADINGS, *rows(document)]
    widths = [max(len(row[at]) for row in table) for at in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    for result in document["results"]:
        lines += ["", f"{result['set']}, {result['model'] or 'no model'}:"]
        for kind in result["report"]["kinds"]:
            lines.append(f"  {kind['kind']}: {interval(kind['rightSkills'])}")
    return "\n".join([about(document), "", *lines]) + "\n"


def as_page(document):
    def row(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join([row(HEADINGS, "th"), *(row(cells, "td") for cells in rows(document))])
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Evaluation of planners</title>\n'
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ccc}</style>\n"
        f"<h1>Evaluation of planners</h1>\n<p>{html.escape(about(document))}</p>\n<table>\n{body}\n</table>\n</html>\n"
    )


def run(args):
    models = [None, *sorted(Path(args.models).glob("*.gguf"))]
    document = {
        "version": 1,
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "timeoutMs": args.timeout,
        "results": [],
    }
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    for model in models:
        for name, file, packages in SETS:
            if args.only and name not in args.only:
                continue
            print(f"eval-models: {name}, {model.stem if model else 'no model'}", flush=True)
            document["results"].append(evaluate(args.program, name, file, packages, model, args.timeout))
            # What was measured is kept if the rest is stopped.
            (out / "report.json").write_text(json.dumps(document, indent=1) + "\n")
    (out / "report.txt").write_text(as_text(document))
    (out / "report.html").write_text(as_page(document))
    print(as_text(document), end="")


def compare(args):
    """Each rate of both reports, with a mark where the new one is outside the interval of the old one."""
    old, new = (json.loads(Path(path).read_text()) for path in (args.old, args.new))
    before = {(result["set"], result["model"]): result["report"] for result in old["results"]}
    worse = 0
    for result in new["results"]:
        known = before.get((result["set"], result["model"]))
        if known is None:
            print(f"{result['set']}, {result['model'] or 'no model'}: not in {args.old}")
            continue
        for what in ("validPlans", "rightSkills"):
            was, now = known[what], result["report"][what]
            low, high = was["byItselfInterval"]
            mark = "worse" if now["byItselfRate"] < low else "better" if now["byItselfRate"] > high else "equal"
            worse += mark == "worse"
            print(f"{result['set']}, {result['model'] or 'no model'}, {what}: {was['byItselfRate']:.1%} to {now['byItselfRate']:.1%}, {mark}")
    sys.exit(1 if worse else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("program")
    runs.add_argument("models")
    runs.add_argument("out")
    runs.add_argument("--timeout", type=int, default=5000)
    runs.add_argument("--only", action="append")
    runs.set_defaults(do=run)
    compares = commands.add_parser("compare")
    compares.add_argument("old")
    compares.add_argument("new")
    compares.set_defaults(do=compare)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()

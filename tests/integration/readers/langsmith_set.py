"""LangSmith's own classes, from its package on PyPI: each line is a Run and a RunTree, and the lines are trees."""

import json
import os
import subprocess
import sys

from harness import packages

WANTED = "langsmith==0.14.17\npydantic==2.14.3\n"
CHECK = r"""
import json, sys
from langsmith import RunTree
from langsmith.schemas import Run

def wrong(document):
    try:
        run, tree = Run.model_validate(document), RunTree(**document)
    except Exception as e:
        return f"{type(e).__name__}: {' '.join(str(e).split())[:200]}"
    same = (str(run.id), str(tree.trace_id), tree.dotted_order) == tuple(document[k] for k in ("id", "trace_id", "dotted_order"))
    return None if same else "another id, trace or order"

for line in sys.stdin:
    print(json.dumps(wrong(json.loads(line))), flush=True)
"""


def commands(where):
    python = os.path.join(where, "bin", "python3")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    return [[sys.executable, "-m", "venv", where], [*pip, "install", *WANTED.split()]]


class Classes:
    """A process that gives the classes' verdict about one run after the other."""

    def __init__(self, where):
        env = {**os.environ, "LANGSMITH_TRACING": "false"}
        python = os.path.join(where, "bin", "python3")
        self.child = subprocess.Popen([python, "-c", CHECK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True)

    def wrong(self, document):
        self.child.stdin.write(json.dumps(document) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def wrong_tree(runs):
    """Each trace has one root, and each run stands behind its parent."""
    by_id = {r["id"]: r for r in runs}
    if len(by_id) != len(runs):
        return "two runs have the same id"
    for trace in {r["trace_id"] for r in runs}:
        if [r["id"] for r in runs if r["trace_id"] == trace and "parent_run_id" not in r] != [trace]:
            return f"trace {trace} has not its own run as its one root"
    for r in runs:
        parent = by_id.get(r.get("parent_run_id"))
        if "parent_run_id" in r and (not parent or not r["dotted_order"].startswith(parent["dotted_order"] + ".")):
            return f"run {r['id']} does not stand behind its parent"
    return None


def check_sample(classes, s):
    runs = s.documents("langsmith")
    for r in runs:
        wrong = classes.wrong(r)
        if wrong:
            return (s.name, wrong)
    wrong = wrong_tree(runs)
    return (s.name, wrong) if wrong else None


def run(suite):
    where = packages(suite, "readers-langsmith", WANTED, commands)
    if not where:
        return
    samples = suite.samples("langsmith")
    classes = Classes(where)
    good = {"id": "01a1e5ee-1bf9-72b3-a4b0-8d3653901b07", "trace_id": "01a1e5ee-1bf9-72b3-a4b0-8d3653901b07", "name": "a", "run_type": "chain",
            "start_time": "2026-01-02T03:04:05.000000Z", "inputs": {}, "dotted_order": "20260102T030405000000Z01a1e5ee-1bf9-72b3-a4b0-8d3653901b07"}
    told = classes.wrong({**good, "id": "x"})
    suite.check("langsmith: the classes tell good from bad", [] if told and not classes.wrong(good) else [("classes", told)], 2)
    bad = [hit for hit in (check_sample(classes, s) for s in samples) if hit]
    classes.close()
    suite.check("langsmith: its classes load every run that we write, and the runs are trees", bad, len(samples))

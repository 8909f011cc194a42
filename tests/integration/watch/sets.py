"""The other sets: old and large files, memory, who may ask, a live recording, and readers of the format."""

import json
import math
import os
import shutil
import subprocess
import sys
import time

import harness
from watching import append, node

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20


def old(suite):
    where = suite.directory("old")
    yesterday = suite.write(where, "yesterday.jsonl", b"".join(node("y", 86400 + n) for n in range(1000)))
    with suite.watch(where) as watch:
        first = watch.figures()["trackway_events"]
        append(yesterday, node("y"))
        then = watch.until(lambda f: f["trackway_events"] > 0)["trackway_events"]
    suite.one("yesterday's events are not now, however new the file is", first == 0, f"{first:.0f} count")
    suite.one("what is added to yesterday's file counts", then == 1, f"{then:.0f} count")

    block = b"".join(node("big", 5000) for _ in range(3000))
    with open(os.path.join(where, "big.jsonl"), "wb") as f:
        while f.tell() < 300 * MIB:
            f.write(block)
        f.write(b"".join(node("big") for _ in range(500)))
    with suite.watch(where) as watch:
        figures = watch.figures()
        read = bytes_read(watch.child.pid)
    suite.one("the new events of a large old file count", figures["trackway_events"] == 501, figures["trackway_events"])
    if read is None:
        suite.skip("how much is read", "/proc tells nothing")
    else:
        suite.one("of 300 MiB only the end is read", read < 30 * MIB, f"{read / MIB:.0f} MiB were read")


def bytes_read(pid):
    try:
        with open(f"/proc/{pid}/io", encoding="ascii") as f:
            return int(dict(line.split(": ") for line in f)["rchar"])
    except (OSError, KeyError):
        return None


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def memory(suite):
    """The same events again and again, in files that come and go."""
    where = suite.directory("memory")
    text = b"".join(node("m") for _ in range(20000))
    sizes = []
    with suite.watch(where) as watch:
        for n in range(6):
            path = suite.write(where, f"{n}.jsonl", text)
            seen = watch.until(lambda f, n=n: f["trackway_watch_files", "followed"] == 1 and f["trackway_events"] == 20000)
            sizes.append(resident(watch.child.pid))
            os.remove(path)
            watch.until(lambda f: f["trackway_watch_files", "followed"] == 0)
    suite.one("a copy of known events adds none", seen["trackway_events"] == 20000, seen["trackway_events"])
    if None in sizes:
        suite.skip("memory", "/proc tells nothing")
    else:
        suite.note(f"resident: {', '.join(f'{s / MIB:.1f}' for s in sizes)} MiB")
        suite.one("memory does not grow with what was read", sizes[-1] <= sizes[1] + 4 * MIB * harness.SLOWER, sizes)


def hosts(suite):
    bad = []
    cases = [
        ({"Host": "127.0.0.1:PORT"}, 200), ({"Host": "localhost:PORT"}, 200), ({"Host": "[::1]:PORT"}, 200),
        ({"Host": "box.example"}, 200), ({"Host": "evil.example:PORT"}, 403), ({"Host": "localhost:1"}, 403),
        ({"Host": "localhost:PORT", "Origin": "https://evil.example"}, 403),
    ]
    with suite.watch(suite.directory("hosts"), "--allow-host", "box.example") as watch:
        watch.page()
        for headers, want in cases:
            got = watch.ask(headers={k: v.replace("PORT", str(watch.port)) for k, v in headers.items()})[0]
            if got != want:
                bad.append((headers, f"{got}, not {want}"))
        for method, path, want in (("GET", "/", 200), ("HEAD", "/metrics", 200), ("GET", "/x", 404), ("PUT", "/metrics", 405)):
            got = watch.ask(method, path)[0]
            if got != want:
                bad.append((f"{method} {path}", f"{got}, not {want}"))
        media = watch.ask()[1]["Content-Type"]
    suite.check("who may ask, and what there is to ask for", bad, len(cases) + 4)
    suite.one("the page has the format's media type", media == "text/plain; version=0.0.4; charset=utf-8", media)


AGENT = """
import json, os, sys, urllib.request
for n in range(3):
    body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": f"turn {n}"}]}).encode()
    q = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(q).read()
print("asked", flush=True)
sys.stdin.readline()
"""


def live(suite):
    """A recorded run: its figures are there while it goes on, and agree with its own summary in the end."""
    where = suite.directory("live")
    agent = suite.write(suite.directory("agent"), "agent.py", AGENT)
    words = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": suite.environment, "text": True}
    with suite.watch(where) as watch, subprocess.Popen([suite.program, "mock", "-q"], **words) as mock:
        url = mock.stdout.readline().strip()
        run = os.path.join(where, "run")
        recorder = subprocess.Popen([suite.program, "record", "-o", run, "--upstream", f"openai={url}/v1", "--",
                                     sys.executable, agent], **words)
        recorder.stdout.readline()
        during = watch.until(lambda f: f["trackway_model_calls"] >= 3)
        recorder.communicate("\n", timeout=60 * harness.SLOWER)
        trace = harness.rows(os.path.join(run, "agent-trace.jsonl"))
        after = watch.until(lambda f: f["trackway_events"] >= len(trace))
        mock.terminate()
        mock.communicate()
    suite.one("three model calls show while the agent still runs", during["trackway_model_calls"] == 3, during)
    suite.one("the time to the first token is known", 0 < during["trackway_ttft_seconds", "0.5"] < 60, during)
    suite.one("every line of the trace is an event", after["trackway_events"] == len(trace), f"{after} of {len(trace)}")
    counts = trace[-1]["node_counts"]
    bad = [(k, v) for k, v in counts.items() if after["trackway_nodes", k] != v]
    suite.check("nodes by kind are those of the summary", bad, len(counts))
    suite.one("without a tool call the stall is not known", math.isnan(after["trackway_tool_stall_ratio"]), after)


def share(suite):
    """A whole run with stalls: the share is the summary's."""
    where = suite.directory("share")
    now = time.time()
    stamp = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)) for t in (now - 100, now - 2)]
    summary = {"schema_version": "agent-trace/v1", "event_type": "summary", "trace_id": "s", "started_at": stamp[0],
               "completed_at": stamp[1]}
    lines = [node("s", 50, "tool_call", 20, name="a", wall_time_seconds=20, stall_seconds=19.6),
             node("s", 20, "tool_call", 20, name="a", wall_time_seconds=20, stall_seconds=9.8),
             node("s", 10, "tool_call", 1, name="a", wall_time_seconds=1, stall_seconds=None)]
    suite.write(where, "agent-trace.jsonl", b"".join(lines) + json.dumps(summary).encode() + b"\n")
    status, out, _, _ = suite.run(["watch", where, "--once", "--json=tool_stall_ratio"])
    ratio = json.loads(out)["tool_stall_ratio"]
    suite.one("the stall share of a run is stall time divided by its total time", status == 0 and abs(ratio - 0.3) < 1e-6, ratio)


def page_of(suite, lines):
    """(text of --once, the page served)"""
    where = suite.directory("page")
    suite.write(where, "agent-trace.jsonl", lines)
    with suite.watch(where) as watch:
        served = watch.page()
    return suite.run(["watch", where, "--once"])[1].decode(), served


def pages(suite):
    full = b"".join(node("p", kind=k, ttft_seconds=0.25, name="t", stall_seconds=0.1) for k in
                    ("model_call", "tool_call", "branch", "retry", "user_input", "system"))
    return [p for lines in (b"", full) for p in page_of(suite, lines)]


def promtool(suite):
    program = shutil.which("promtool")
    if not program:
        suite.skip("promtool", "it is not installed (Debian: prometheus)")
        return
    bad, all_pages = [], pages(suite)
    for page in all_pages:
        done = subprocess.run([program, "check", "metrics"], input=page, capture_output=True, text=True, check=False)
        if done.returncode or done.stdout or done.stderr:
            bad.append(("promtool check metrics", done.stdout + done.stderr))
    suite.check("promtool has nothing to say", bad, len(all_pages))


PARSE = """
import json, math, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps([[f.name, f.type, bool(f.documentation), [[s.name, s.labels, repr(s.value)] for s in f.samples]]
                  for f in text_string_to_metric_families(sys.stdin.read())]))
"""


def parser(suite):
    with open(os.path.join(HERE, "requirements.txt"), encoding="ascii") as f:
        python = harness.python_packages(suite, "watch-python", f.read())
    if not python:
        return
    bad, all_pages = [], pages(suite)
    for page in all_pages:
        done = subprocess.run([python, "-c", PARSE], input=page, capture_output=True, text=True, check=False)
        families = json.loads(done.stdout) if done.returncode == 0 else []
        types = {name: kind for name, kind, _, _ in families}
        want = {f"trackway_{n}": "gauge" for n in ("events", "model_calls", "tool_calls", "nodes", "tool_stall_ratio", "watch_files")}
        want.update(trackway_ttft_seconds="summary", trackway_watch_lines_skipped="counter")
        samples = sum(len(f[3]) for f in families)
        if done.returncode or types != want or not all(f[2] for f in families):
            bad.append(("prometheus-client", done.stderr[-300:] or types))
        elif samples != len([x for x in page.splitlines() if not x.startswith("#")]):
            bad.append(("prometheus-client", f"{samples} samples"))
    suite.check("prometheus-client reads every family with its type", bad, len(all_pages))

"""Runs the sets of this directory and adds up. Called by run."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "validate"))

import formats
import harness
import otlp

SAMPLE = os.path.join(HERE, "..", "..", "data", "export", "run.jsonl")
HOSTILE = ['"', "\\", "\\N\\G", "</script><script>alert(1)</script>", "a\nb", "\t=1+1", "@SUM(A1)", "end", "%%{init: {}}%%", "#quot;", "`x`",
           "&lt;&#34;", "\u0000\u0007\u001b[31m", "\u202egpj.exe", "x" * 10000, "", "]]>", "'", "{}|<>[]", "subgraph", "\u2028", "-->", ";"]


def export(suite, name, paths, options=()):
    """(status, bytes, what was said)"""
    status, out, err, _ = suite.run(["export", *paths, "--format", name, *options], timeout=120)
    return status, out, err.decode(errors="replace")


def hostile_trace(suite):
    """Two runs with names, ids and edges that no writer would make."""
    nodes = []
    for run in ("one", "two"):
        for n, text in enumerate(HOSTILE):
            kind = ("tool_call", "model_call", "branch", "retry", "user_input", "system")[n % 6]
            node = {"schema_version": "agent-trace/v1", "event_type": "node", "trace_id": run + text[:40], "node_id": text,
                    "parent_node_ids": [HOSTILE[(n * 7 + 3) % len(HOSTILE)], text, "gone"], "timestamp_start": 100 + n % 5,
                    "timestamp_end": 103 - n % 4, "kind": kind, "framework": text, "agent_id": HOSTILE[n // 4]}
            if kind == "tool_call":
                node[kind] = {"name": text}
            elif kind == "model_call":
                node[kind] = {"model": text, "endpoint": text, "input_tokens": n, "output_tokens": 2**63 - 1, "stop_reason": "error",
                              "estimated_cost_usd": 1e9}
            elif kind == "branch":
                node[kind] = {"branch_kind": text, "siblings": [text]}
            nodes.append(dict(node, trace_id=run))
            nodes.append(dict(node, trace_id=run))  # the same id again
    return suite.write(suite.directory("hostile"), "hostile.jsonl", harness.jsonl(nodes, ensure_ascii=True))


# ---- the samples ----


def events_of(document):
    """What the sample has of each event: keys that name, place and count."""
    events = []
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in document["traceEvents"] if e["name"] == "thread_name"}
    for e in document["traceEvents"]:
        if e["ph"] == "X":
            args = {k: e["args"][k] for k in ("node_id", "input_tokens", "output_tokens", "stop_reason", "stall_seconds") if k in e["args"]}
            events.append(("X", threads[e["pid"], e["tid"]], e["ts"], e["dur"], e["cat"], e["name"], json.dumps(args, sort_keys=True)))
        elif e["ph"] in "sf":
            events.append((e["ph"], threads[e["pid"], e["tid"]], e["ts"], e["cat"], e["name"], e.get("bp")))
        elif e["name"] in ("process_name", "thread_name", "thread_sort_index") or (e["ph"], e["name"]) == ("C", "tokens"):
            events.append((e["ph"], e["name"], e.get("ts"), json.dumps(e["args"], sort_keys=True)))
    return sorted(events, key=str)


def profiles_of(document):
    frames = [f["name"] for f in document["shared"]["frames"]]
    return [(p["name"], p["unit"], p["startValue"], p["endValue"], [(e["type"], frames[e["frame"]], e["at"]) for e in p["events"]])
            for p in document["profiles"] if p["type"] == "evented"]


def run_samples(suite):
    place = suite.data("samples of exports", "export-samples")
    if not place:
        return
    bad = []
    read = {
        "graph.dot": ("dot", lambda t: formats.dot_graph(t)[:2]),
        "graph.mmd": ("mermaid", lambda t: formats.mermaid_graph(t)[:2]),
        "chrome-trace.json": ("chrome", lambda t: events_of(json.loads(t))),
        "run.speedscope.json": ("speedscope", lambda t: profiles_of(json.loads(t))),
    }
    for name, (kind, parse) in read.items():
        with open(os.path.join(place, name), "rb") as f:
            want = parse(f.read())
        status, out, said = export(suite, kind, [os.path.join(place, "agent-trace.jsonl")])
        if status != 0 or parse(out) != want:
            bad.append((name, said or "nodes, edges or events differ"))
    suite.check("the samples' nodes, edges and events", bad, len(read))
    suite.check("the samples' spans and metrics", list(otlp.sample(export, suite, place)), 4)


# ---- names that are no names ----


def run_hostile(suite):
    trace = hostile_trace(suite)
    bad = []
    for name in formats.FORMATS:
        status, out, said = export(suite, name, [trace])
        if status != 0:
            bad.append((name, f"exit {status}: {said}"))
            continue
        bad += [(name, what) for what in formats.wrong(name, out)]
        if any(b < 0x20 and b not in b"\n\r\t" for b in out):
            bad.append((name, "a control character"))
        if len(out) > 600000:
            bad.append((name, f"{len(out)} bytes: long names are not cut"))
    suite.check("hostile names and edges do no harm in any format", bad, len(formats.FORMATS))
    rows = formats.table(export(suite, "csv", [trace])[1])
    suite.check("a row of CSV for each node", [] if len(rows) == 4 * len(HOSTILE) else [("rows", str(len(rows)))], 1)


# ---- Graphviz ----


def run_graphviz(suite):
    if not shutil.which("dot"):
        suite.skip("Graphviz", "dot is not installed")
        return
    bad = []
    hostile = hostile_trace(suite)
    for title, paths in (("sample", [SAMPLE]), ("hostile", [hostile]), ("several", [SAMPLE, hostile])):
        _, out, _ = export(suite, "dot", paths)
        nodes, edges, _ = formats.dot_graph(out)
        done = subprocess.run(["dot", "-Tsvg"], input=out, capture_output=True, timeout=300 * harness.SLOWER)
        drawn = (done.stdout.count(b'class="node"'), done.stdout.count(b'class="edge"'))
        if done.returncode != 0 or b"syntax error" in done.stderr:
            bad.append((title, done.stderr.decode(errors="replace")))
        elif drawn != (len(nodes), len(edges)):
            bad.append((title, f"drew {drawn}, has {len(nodes)} nodes and {len(edges)} edges"))
    suite.check("Graphviz draws every node and edge", bad, 3)


# ---- real logs ----


def run_logs(suite):
    """One call for each directory and format."""
    bad = []
    places = [d for top in ("agents", "vendors", "fresh") if (t := suite.data(f"logs of {top}", top)) for d in sorted(
        os.path.join(t, n) for n in os.listdir(t)) if os.path.isdir(d)]
    runs = 0
    for place in places:
        for name in formats.FORMATS:
            status, out, said = export(suite, name, [place])
            if status not in (0, 3) or (status == 3 and "error" not in said):
                bad.append((f"{place} {name}", f"exit {status}: {said[-200:]}"))
            if out:
                runs += name == "chrome"
                bad += [(f"{place} {name}", what) for what in formats.wrong(name, out)[:2]]
    if places and runs < 10:
        bad.append(("logs", f"only {runs} directories gave a run"))
    suite.check("real logs in every format", bad, len(places) * len(formats.FORMATS))


def run_otlp(suite):
    """Both encodings say the same of every log, of hostile names and of every profile."""
    bad = [(f"{title} {name}", what) for title, paths, options in (
        ("sample", [SAMPLE], ()), ("seed", [SAMPLE], ("--profile", "seed")), ("dev", [SAMPLE], ("--profile", "genai-dev")),
        ("hostile", [hostile_trace(suite)], ("--server-metrics", "--include-estimated"))) for name, what in otlp.both(export, suite, paths, options)]
    suite.check("both encodings of OTLP say the same", bad, 8)
    places = [d for top in ("agents", "vendors", "fresh", "corpora") if (t := suite.data(f"logs of {top}", top)) for d in sorted(
        os.path.join(t, n) for n in os.listdir(t)) if os.path.isdir(d)]
    bad = [(f"{place} {name}", what) for place in places for name, what in otlp.both(export, suite, [place])]
    suite.check("both encodings of OTLP say the same of real logs", bad, 2 * len(places))


# ---- Mermaid and speedscope themselves ----


def run_node(suite):
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip("Mermaid and speedscope", "node and npm are not both installed")
        return
    with open(os.path.join(HERE, "package-lock.json"), encoding="utf-8") as f:
        lock = f.read()

    def commands(where):
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(os.path.join(HERE, name), where)
        return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"]]

    packages = harness.packages(suite, "export", lock, commands)
    if not packages:
        return
    place = suite.directory("node")
    shutil.copy(os.path.join(HERE, "readers.mjs"), place)
    os.symlink(os.path.join(packages, "node_modules"), os.path.join(place, "node_modules"))
    hostile = hostile_trace(suite)
    cases = []
    for title, paths in (("sample", [SAMPLE]), ("hostile", [hostile]), ("several", [SAMPLE, hostile])):
        for name in ("mermaid", "speedscope"):
            _, out, _ = export(suite, name, paths)
            nodes, edges, _ = formats.mermaid_graph(out) if name == "mermaid" else ((), (), ())
            cases.append({"title": f"{title} {name}", "kind": name, "file": suite.write(place, f"{title}.{name}", out),
                          "nodes": len(nodes), "edges": len(edges)})
    done = subprocess.run(["node", os.path.join(place, "readers.mjs"), suite.write(place, "cases.json", json.dumps(cases))],
                          capture_output=True, timeout=300 * harness.SLOWER)
    if done.returncode != 0:
        suite.check("Mermaid and speedscope read", [("node", done.stderr.decode(errors="replace")[-600:])], 1)
        return
    suite.check("Mermaid parses graphs, and speedscope's schema takes profiles", [tuple(p) for p in json.loads(done.stdout)], len(cases))


# ---- crates ----


def run_crate(suite):
    place = os.path.join(suite.directory("crate"), "crate")
    status, _, said = export(suite, "ro-crate", [SAMPLE, hostile_trace(suite)], ["-o", place + "/"])
    if status != 0:
        suite.check("a crate is written", [("crate", said)], 1)
        return
    with open(os.path.join(place, "ro-crate-metadata.json"), "rb") as f:
        text = f.read()
    bad = [("metadata", what) for what in formats.wrong("ro-crate", text)]
    graph = json.loads(text)["@graph"]
    files = [e for e in graph if e["@type"] == "File"]
    for e in files:
        with open(os.path.join(place, e["@id"]), "rb") as f:
            data = f.read()
        if e["contentSize"] != str(len(data)) or e["sha256"] != hashlib.sha256(data).hexdigest():
            bad.append((e["@id"], "its size or digest is another"))
    if set(os.listdir(place)) != {e["@id"] for e in files} | {"ro-crate-metadata.json"}:
        bad.append(("directory", "something is in it that is not described"))
    suite.check("a crate's files are those that it describes", bad, len(files))
    python = harness.python_packages(suite, "rocrate", "rocrate==0.16.0\nroc-validator==0.13.0\n")
    if not python:
        return
    script = "from rocrate.rocrate import ROCrate; import sys; print(len(list(ROCrate(sys.argv[1]).get_entities())))"
    done = subprocess.run([python, "-c", script, place], capture_output=True, timeout=300 * harness.SLOWER)
    read = done.stdout.decode().strip()
    suite.check("ro-crate-py reads all of it", [] if read == str(len(graph)) else [("read", read + done.stderr.decode()[-300:])], 1)


harness.main({"samples": run_samples, "hostile": run_hostile, "graphviz": run_graphviz, "logs": run_logs, "otlp": run_otlp, "node": run_node,
              "crate": run_crate})

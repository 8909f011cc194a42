"""What an export must be, by format: each check gives a list of sentences about what is wrong."""

import csv
import io
import json
import re
import xml.etree.ElementTree

FORMATS = ("chrome", "speedscope", "dot", "mermaid", "html", "csv", "mooncake", "ro-crate")
EPSILON = 1e-6  # microseconds


def strict(text):
    """JSON without NaN and Infinity."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


# ---- chrome ----


def nesting(slices):
    """Slices of one track, by start: each ends inside the one it began in."""
    bad = []
    open_ends = []
    for start, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= start + EPSILON:
            open_ends.pop()
        if open_ends and end > open_ends[-1] + EPSILON:
            bad.append(f"{name} at {start} ends after the slice it began in")
        open_ends.append(end)
    return bad


def binds(slices, ts):
    return any(start - EPSILON <= ts < end + EPSILON for start, end, _ in slices)


def chrome(text):
    document = strict(text)
    tracks, named, flows, bad = {}, set(), {}, []
    for e in document["traceEvents"]:
        key = (e["pid"], e.get("tid"))
        if not isinstance(e["pid"], int) or e.get("ts", 0) < 0 or e.get("dur", 0) < 0:
            bad.append(f"an odd event: {e}")
        if e["ph"] == "X":
            tracks.setdefault(key, []).append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["ph"] == "M" and e["name"] == "thread_name":
            named.add(key)
        elif e["ph"] in "sf":
            flows.setdefault(e["id"], {})[e["ph"]] = e
        elif e["ph"] == "i" and e["s"] != "t":
            bad.append("an instant of another scope than its thread")
        elif e["ph"] not in "MCi":
            bad.append(f"an event of phase {e['ph']}")
    for key, slices in tracks.items():
        bad += nesting(slices)
        if key not in named:
            bad.append(f"the track {key} has no name")
    for pid in {pid for pid, _ in tracks}:
        if min(s[0] for (p, _), slices in tracks.items() if p == pid for s in slices) != 0:
            bad.append(f"the run {pid} does not begin at 0")
    for number, ends in flows.items():
        if set(ends) != {"s", "f"} or ends["s"]["ts"] > ends["f"]["ts"] or ends["f"].get("bp") != "e":
            bad.append(f"the flow {number} has no two ends in order")
            continue
        for e in ends.values():
            if not binds(tracks.get((e["pid"], e["tid"]), []), e["ts"]):
                bad.append(f"the flow {number} binds to no slice")
    return bad


# ---- speedscope ----


def speedscope(text):
    document = strict(text)
    frames = document["shared"]["frames"]
    bad = []
    if len({f["name"] for f in frames}) != len(frames):
        bad.append("a frame stands twice")
    if not document["profiles"]:
        bad.append("no profile")
    for p in document["profiles"]:
        if p["type"] == "sampled":
            if len(p["samples"]) != len(p["weights"]) or abs(sum(p["weights"]) - p["endValue"]) > 1e-6 * p["endValue"]:
                bad.append(f"{p['name']}: weights do not fit")
            continue
        stack, at = [], p["startValue"]
        for e in p["events"]:
            if e["at"] < at or e["at"] > p["endValue"] or not 0 <= e["frame"] < len(frames):
                bad.append(f"{p['name']}: an event out of order")
            at = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            elif not stack or stack.pop() != e["frame"]:
                bad.append(f"{p['name']}: opens and closes do not fit")
        if stack:
            bad.append(f"{p['name']}: a frame stays open")
    return bad


# ---- graphs ----

DOT_NODE = re.compile(r'^ *("(?:[^"\\]|\\.)*") \[shape=(\w+),label="((?:[^"\\]|\\.)*)"(.*)\];$')
DOT_EDGE = re.compile(r'^ *("(?:[^"\\]|\\.)*") -> ("(?:[^"\\]|\\.)*");$')
DOT_OTHER = re.compile(r'^ *(digraph run \{|rankdir=.*;|subgraph "cluster_[0-9_]+" \{|label="(?:[^"\\]|\\.)*";|\})$')


def dot_graph(text):
    """(nodes by id, edges, other lines)"""
    nodes, edges, odd = {}, [], []
    for line in text.decode().split("\n")[:-1]:
        node, edge = DOT_NODE.match(line), DOT_EDGE.match(line)
        if node:
            nodes[node[1]] = (node[2], node[3], "color=red" in node[4])
        elif edge:
            edges.append((edge[1], edge[2]))
        elif not DOT_OTHER.match(line):
            odd.append(line)
    return nodes, edges, odd


def dot(text):
    nodes, edges, odd = dot_graph(text)
    bad = [f"a line that is none: {line}" for line in odd]
    bad += [f"an edge from or to nowhere: {e}" for e in edges if e[0] not in nodes or e[1] not in nodes]
    return bad


MERMAID_NODE = re.compile(r'^ *(n\d+)(\[\[|\(\[|\[/|\[|\{\{|\{)"([^"]*)"(\]\]|\]\)|/\]|\]|\}\}|\})(:::failed)?$')
MERMAID_EDGE = re.compile(r"^ *(n\d+) --> (n\d+)$")
MERMAID_OTHER = re.compile(r'^(flowchart LR| *subgraph [ar][0-9_]+\["[^"]*"\]| *end| *classDef failed .*)$')


def mermaid_graph(text):
    nodes, edges, odd = {}, [], []
    for line in text.decode().split("\n")[:-1]:
        node, edge = MERMAID_NODE.match(line), MERMAID_EDGE.match(line)
        if node:
            nodes[node[1]] = (node[2], node[3])
        elif edge:
            edges.append((edge[1], edge[2]))
        elif not MERMAID_OTHER.match(line):
            odd.append(line)
    return nodes, edges, odd


def mermaid(text):
    nodes, edges, odd = mermaid_graph(text)
    bad = [f"a line that is none: {line}" for line in odd]
    bad += [f"an edge from or to nowhere: {e}" for e in edges if e[0] not in nodes or e[1] not in nodes]
    if len(edges) > 400 or len(text.decode()) > 50000:
        bad.append("more than renderers draw")
    return bad


# ---- tables and pages ----


def table(text):
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def csv_rows(text):
    rows = list(csv.reader(io.StringIO(text.decode(), newline="")))
    bad = [f"row {n} has {len(r)} cells" for n, r in enumerate(rows) if len(r) != len(rows[0])]
    bad += [f"row {n} has a formula: {c}" for n, r in enumerate(rows) for c in r if c[:1] in tuple("=+@\t") or re.match(r"-(?!\d+(\.\d+)?$)", c)]
    return bad


def html(text):
    root = xml.etree.ElementTree.fromstring(text.decode().replace("<!DOCTYPE html>", "", 1))
    tags = {e.tag for e in root.iter()}
    known = set("html head meta title style body main section p h1 h2 code dl div dt dd table thead tbody tr th td bdi "
                "figure figcaption small svg rect".split())
    policy = [e.get("content") for e in root.iter("meta") if e.get("http-equiv") == "Content-Security-Policy"]
    bad = [f"an element that is not ours: {t}" for t in tags - known]
    bad += [f"an attribute that runs or fetches: {a}" for e in root.iter() for a in e.attrib if a.startswith("on") or a in ("src", "href")]
    if len(policy) != 1 or not policy[0].startswith("default-src 'none';"):
        bad.append("no policy")
    return bad


def mooncake(text):
    bad = []
    last = 0
    for line in text.decode().splitlines():
        call = strict(line)
        if not set(call) <= {"timestamp", "input_length", "output_length", "hash_ids"} or call["timestamp"] < last:
            bad.append(line)
        last = call["timestamp"]
        if any(not isinstance(call[k], int) or call[k] < 0 for k in ("input_length", "output_length")):
            bad.append(line)
    return bad


# ---- crates ----


def references(value):
    if isinstance(value, list):
        for one in value:
            yield from references(one)
    elif isinstance(value, dict):
        if set(value) == {"@id"}:
            yield value["@id"]
        else:
            for one in value.values():
                yield from references(one)


def crate(text):
    graph = strict(text)["@graph"]
    entities = {e["@id"]: e for e in graph}
    bad = [] if len(entities) == len(graph) else ["an entity is described twice"]
    for e in graph:
        for r in references({k: v for k, v in e.items() if k != "@id"}):
            if r not in entities and not r.startswith("https://"):
                bad.append(f"{r} is not described")
        wanted = {"CreateAction": ("instrument", "agent", "result", "startTime", "endTime", "actionStatus"),
                  "File": ("contentSize", "sha256", "encodingFormat"), "Dataset": ("name", "description", "datePublished", "license")}
        kind = e["@type"] if isinstance(e["@type"], str) else e["@type"][0]
        bad += [f"{e['@id']} has no {k}" for k in wanted.get(kind, ()) if k not in e]
    return bad


CHECKS = {
    "chrome": chrome, "speedscope": speedscope, "dot": dot, "mermaid": mermaid, "html": html, "csv": csv_rows,
    "mooncake": mooncake, "ro-crate": crate,
}


def wrong(name, text):
    """What is wrong with it; a text that cannot be read at all is wrong too."""
    try:
        return CHECKS[name](text)
    except (ValueError, KeyError, TypeError, xml.etree.ElementTree.ParseError) as e:
        return [f"{type(e).__name__}: {e}"]

"""Arize Phoenix, sent every sample with its content: its API must show every message that has a text."""

import hashlib
import json
import os
import subprocess
import time
import urllib.parse

import phoenix
from documents import traces_of
from exporting import fetch
from harness import SLOWER, python_packages

# Phoenix takes protobuf only. Its package has OpenTelemetry's messages, so its Python turns our JSON into them. Several
# samples are of one run, and Phoenix keeps a span once: so each sample gets ids of its own.
SEND = r"""
import base64, hashlib, json, sys, urllib.request
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

def turn(v, project):
    if isinstance(v, list):
        return [turn(x, project) for x in v]
    if isinstance(v, dict):
        ids = ("traceId", "spanId", "parentSpanId")
        return {k: renamed(project, x) if k in ids else turn(x, project) for k, x in v.items()}
    return v

def renamed(project, id):
    return base64.b64encode(hashlib.sha256(f"{project}/{id}".encode()).digest()[: len(id) // 2]).decode()

for line in sys.stdin:
    path, project = json.loads(line)
    for text in open(path, encoding="utf-8"):
        if "resourceSpans" in text[:20]:
            body = json_format.ParseDict(turn(json.loads(text), project), ExportTraceServiceRequest()).SerializeToString()
            head = {"Content-Type": "application/x-protobuf", "x-project-name": project}
            urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/v1/traces", body, head), timeout=60).read()
    print("sent", flush=True)
"""


def renamed(project, id):
    return hashlib.sha256(f"{project}/{id}".encode()).hexdigest()[: len(id)]


def wanted(spans, project):
    """What a reader must see of each span, by its id: texts of messages, and what tools gave."""
    found = {}
    for s in spans:
        texts = []
        for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
            for m in s.listed(key):
                for part in m["parts"]:
                    text = part.get("content") if part["type"] in ("text", "reasoning") else part.get("response")
                    if isinstance(text, str):
                        texts += [text] if text else []
                    elif text is not None and part["type"] == "tool_call_response":
                        texts.append(json.dumps(text, ensure_ascii=False))
        if s.get("gen_ai.tool.call.result"):
            texts.append(s.get("gen_ai.tool.call.result"))
        found[renamed(project, s.id)] = texts
    return found


def strings(value):
    stack = [value]
    while stack:
        v = stack.pop()
        if isinstance(v, str):
            yield v
        elif isinstance(v, dict):
            stack += v.values()
        elif isinstance(v, list):
            stack += v


def shown(span):
    """What Phoenix itself shows: OpenInference's attributes, which it makes of the conventions'. Ours are not counted."""
    own = {k: v for k, v in span["attributes"].items() if k.startswith(("llm.", "output.", "input.", "tool."))}
    texts = list(strings(own))
    return "\n".join(texts), set(texts)


def source_texts(suite, s):
    """The texts of the run's messages and answers as the log itself has them, by way of OTUTL."""
    out = os.path.join(suite.place, "source.otutl")
    if suite.convert(s.path, "otutl", out) != 0:
        return []
    texts = []
    with open(out, encoding="utf-8") as f:
        for r in map(json.loads, f):
            if r["type"] == "model_step":
                texts += [r[k] for k in ("text", "reasoning") if r.get(k)]
                for m in (r.get("request") or {}).get("messages", []):
                    content = m.get("content")
                    parts = content if isinstance(content, list) else [content]
                    texts += [p if isinstance(p, str) else p.get("text") for p in parts if isinstance(p, (str, dict))]
            elif r["type"] == "tool_result" and isinstance(r.get("result"), str):
                texts.append(r["result"])
    return [t for t in texts if isinstance(t, str) and t.strip()]


def stored(url, project, count):
    """All spans of a project, page by page, once they are there."""
    end = time.monotonic() + 60 * SLOWER
    while True:
        found, cursor = {}, ""
        try:
            while cursor is not None:
                more = f"&cursor={urllib.parse.quote(cursor)}" if cursor else ""
                page = fetch(f"{url}/v1/projects/{project}/spans?limit=500{more}")
                found.update({x["context"]["span_id"]: x for x in page["data"]})
                cursor = page.get("next_cursor")
        except OSError:
            pass
        if len(found) >= count or time.monotonic() > end:
            return found
        time.sleep(1)


def check_sample(suite, url, number, s, figures):
    project = f"p{number}"
    spans = [x for t in traces_of(s.documents("otlp-json")).values() for x in t]
    theirs = stored(url, project, len(spans))
    everything = []
    for id, texts in wanted(spans, project).items():
        if id not in theirs:
            return (s.name, f"span {id} is not there")
        whole, exact = shown(theirs[id])
        everything.append(whole)
        for text in texts:
            figures["messages"] += 1
            if text not in exact and text not in whole:
                return (s.name, f"{theirs[id]['name']}: does not show {text[:80]!r}")
    seen = "\n".join(everything)
    for text in source_texts(suite, s):
        figures["source texts"] += 1
        if text not in seen:
            return (s.name, f"the source has {text[:80]!r}, and no span shows it")
    return None


def run(suite):
    os.environ.setdefault("TRACKWAY_PACKAGES_SECONDS", "1200")
    python = python_packages(suite, "otlp-phoenix", phoenix.WANTED)
    url = python and phoenix.begin(suite, python)
    if not url:
        return
    samples = [s for s in suite.samples("otlp-json") if traces_of(s.documents("otlp-json"))]
    samples = samples[:: int(os.environ.get("EVERY", "1"))]
    send = subprocess.Popen([python, "-c", SEND, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    bad, figures = [], {"messages": 0, "source texts": 0}
    for i, s in enumerate(samples):
        send.stdin.write(json.dumps([s.made["otlp-json"], f"p{i}"]) + "\n")
        send.stdin.flush()
        if send.stdout.readline() != "sent\n":
            bad.append((s.name, "was not taken"))
            break
    send.stdin.close()
    send.wait()
    for i, s in enumerate(samples):
        hit = check_sample(suite, url, i, s, figures)
        bad += [hit] if hit else []
        if len(bad) > 20:
            break  # each that is missing takes a minute
    suite.note(", ".join(f"{n} {what}" for what, n in figures.items()))
    suite.check("phoenix: shows every message that has a text", bad, len(samples))

"""OpenTelemetry's own decoder (opentelemetry-proto): every request decodes, whole, and says the same as protobuf."""

import json
import os
import subprocess

from documents import START
from harness import python_packages

WANTED = "opentelemetry-proto==1.45.1\n"
# Ids are hexadecimal in OTLP/JSON and base64 in protobuf's own JSON; all else is protobuf's.
CHECK = r"""
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

def turn(v):
    if isinstance(v, list):
        return [turn(x) for x in v]
    if isinstance(v, dict):
        ids = ("traceId", "spanId", "parentSpanId")
        return {k: base64.b64encode(bytes.fromhex(x)).decode() if k in ids else turn(x) for k, x in v.items()}
    return v

def decode(text):
    d = json.loads(text)
    kind = ExportMetricsServiceRequest if "resourceMetrics" in d else ExportTraceServiceRequest
    return json_format.ParseDict(turn(d), kind()), d

def wrong(paths):
    requests = [decode(line)[0] for line in open(paths[0], encoding="utf-8") if line.strip() and "resourceLogs" not in line[:20]]
    for r in requests:
        for s in (s for x in getattr(r, "resource_spans", []) for y in x.scope_spans for s in y.spans):
            if len(s.trace_id) != 16 or len(s.span_id) != 8 or len(s.parent_span_id) not in (0, 8):
                return "an id has a wrong length"
    if len(paths) > 1:
        data = open(paths[1], "rb").read()
        if not requests:  # a run without figures has no metrics
            return "protobuf where JSON has nothing" if data else None
        other = type(requests[0])()
        other.ParseFromString(data)
        joined = type(requests[0])()
        for r in requests:
            joined.MergeFrom(r)
        if other != joined:
            return "protobuf and JSON say different things"

for line in sys.stdin:
    try:
        print(json.dumps(wrong(json.loads(line))), flush=True)
    except Exception as e:
        print(json.dumps(f"{type(e).__name__}: {e}"[:200]), flush=True)
"""
FORMATS = (("otlp-json", "otlp-proto"), ("otlp-metrics-json", "otlp-metrics-proto"))


class Decoder:
    def __init__(self, python):
        self.child = subprocess.Popen([python, "-c", CHECK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wrong(self, *paths):
        self.child.stdin.write(json.dumps(paths) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def export(suite, where, number, s):
    """Files of a sample in each format of OTLP, or why there are none."""
    made = []
    for pair in FORMATS:
        paths = [os.path.join(where, f"{number:05d}.{f}") for f in pair]
        for f, path in zip(pair, paths):
            status, _, err, _ = suite.run(["export", s.path, "--format", f, "-o", path, "--start", START])
            if status != 0:
                return f"export --format {f}: exit {status}: {err[-200:].decode(errors='replace')}"
        made.append(paths)
    return made


def run(suite):
    python = python_packages(suite, "readers-proto", WANTED)
    if not python:
        return
    decoder = Decoder(python)
    samples = suite.samples("otlp-json")
    bad = [(s.name, w) for s in samples for w in [decoder.wrong(s.made["otlp-json"])] if w]
    suite.check("proto: every request of convert decodes", bad, len(samples))
    where = suite.directory("exports")
    exports = suite.each(lambda n: export(suite, where, n[0], n[1]), list(enumerate(samples)))
    bad = []
    for s, made in zip(samples, exports):
        wrong = made if isinstance(made, str) else [w for paths in made for w in [decoder.wrong(*paths)] if w]
        if wrong:
            bad.append((s.name, wrong if isinstance(wrong, str) else wrong[0]))
    decoder.close()
    suite.check("proto: every export decodes, as JSON and as protobuf alike", bad, len(samples))

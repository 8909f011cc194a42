"""Every sample as OTLP: it decodes as one request by OpenTelemetry's own definitions, with a trace for each run."""

import base64
import json
import os
import re
from collections import defaultdict

from converting import to_options

DEFINITIONS = ("collector/trace/v1/trace_service", "trace/v1/trace", "common/v1/common", "resource/v1/resource")
IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
SIZES = {"int32": 31, "uint32": 32, "fixed32": 32, "int64": 63, "uint64": 64, "fixed64": 64, "sfixed64": 63}


def camel(name):
    return re.sub(r"_(\w)", lambda m: m.group(1).upper(), name)


class Definitions:
    """Messages and enums of .proto files, as far as OTLP uses the language."""

    def __init__(self, where):
        self.messages, self.enums = {}, {}
        for name in DEFINITIONS:
            with open(os.path.join(where, name + ".proto"), encoding="utf-8") as f:
                self.read(re.sub(r"//[^\n]*|/\*.*?\*/", "", f.read(), flags=re.S))

    def read(self, text):
        inside = []  # (kind, name, fields)
        for token in re.finditer(r"(message|enum|oneof)\s+(\w+)\s*\{|(\{)|(\})|([^;{}]+);", text):
            kind, name, other, end, line = token.groups()
            if other:
                inside.append(("other", "", {}))
            elif kind:
                table = {"message": self.messages, "enum": self.enums}.get(kind)
                fields = inside[-1][2] if kind == "oneof" else {}
                if table is not None:
                    table[name] = fields
                inside.append((kind, name, fields))
            elif end:
                inside.pop()
            elif inside:
                self.field(inside[-1], line)

    @staticmethod
    def field(around, line):
        kind, name, fields = around
        if kind == "enum":
            m = re.match(r"\s*(\w+)\s*=\s*(\d+)", line)
            if m:
                fields[int(m.group(2))] = m.group(1)
            return
        m = re.match(r"\s*(repeated\s+)?([\w.]+)\s+(\w+)\s*=\s*\d+", line)
        if m and m.group(2) not in ("reserved", "option"):
            of, group = m.group(2).rpartition(".")[2], name if kind == "oneof" else None
            fields[camel(m.group(3))] = (of, bool(m.group(1)), group)

    def decode(self, message, value):
        """Raises ValueError with the place of what a decoder would refuse or drop."""
        stack = [(message, value, "")]
        while stack:
            kind, v, at = stack.pop()
            if not isinstance(v, dict):
                raise ValueError(f"{at} is no {kind}")
            chosen = set()
            for name, inner in v.items():
                if name not in self.messages[kind]:
                    raise ValueError(f"{at}/{name}: {kind} has no such field")
                of, repeated, group = self.messages[kind][name]
                if group and (group in chosen or chosen.add(group)):
                    raise ValueError(f"{at}: two of {group}")
                if repeated and not isinstance(inner, list):
                    raise ValueError(f"{at}/{name} is no list")
                for i, x in enumerate(inner if repeated else [inner]):
                    place = f"{at}/{name}/{i}" if repeated else f"{at}/{name}"
                    if of in self.messages:
                        stack.append((of, x, place))
                    else:
                        self.scalar(of, name, x, place)

    def scalar(self, of, name, v, at):
        good = False
        if of == "string":
            good = isinstance(v, str)
        elif of == "bool":
            good = isinstance(v, bool)
        elif of in ("double", "float"):
            good = isinstance(v, (int, float)) and not isinstance(v, bool) or v in ("NaN", "Infinity", "-Infinity")
        elif of in self.enums:
            good = isinstance(v, int) and not isinstance(v, bool) and v in self.enums[of]
        elif of == "bytes" and name in IDS:
            good = isinstance(v, str) and re.fullmatch(r"[0-9a-fA-F]{%d}" % IDS[name], v) and int(v, 16) != 0
        elif of == "bytes":
            good = isinstance(v, str) and base64.b64decode(v, validate=True) is not None
        elif of in SIZES:
            digits = v if isinstance(v, str) else str(v) if isinstance(v, int) and not isinstance(v, bool) else ""
            good = re.fullmatch(r"-?\d+", digits) and abs(int(digits)) <= 2 ** SIZES[of]
        if not good:
            raise ValueError(f"{at}: {json.dumps(v)[:60]} is no {of}")


def attributes_of(span):
    return {a["key"]: a["value"] for a in span.get("attributes", [])}


def check_spans(document, runs):
    """Of spans that we made: a trace with one root for each run, parents in their own trace, no URL for a server."""
    traces = defaultdict(list)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                traces[span["traceId"]].append(span)
    if len(traces) != runs:
        return f"{runs} runs and {len(traces)} traces"
    for spans in traces.values():
        ids = {s["spanId"] for s in spans}
        if len(ids) != len(spans):
            return "two spans of a trace have one id"
        if [s.get("parentSpanId") for s in spans].count(None) != 1:
            return "a trace has not one root"
        lost = [s["name"] for s in spans if "parentSpanId" in s and s["parentSpanId"] not in ids]
        if lost:
            return f"the parent of {lost[0]} is not in its trace"
        for s in spans:
            address = attributes_of(s).get("server.address", {}).get("stringValue", "")
            if "/" in address:
                return f"server.address is {address}"
    return None


def check_sample(suite, definitions, base, s):
    where = os.path.join(base, os.path.basename(s.out))
    status, _, told = suite.call(["convert", s.out, *to_options("otlp-json"), "-o", where])
    if status != 0:
        return (s.name, f"exit {status} {' '.join(told.split())[:150]}")
    with open(where, encoding="utf-8") as f:
        documents = [json.loads(line) for line in f]
    os.unlink(where)
    own = s.vendor != "otlp_genai"
    requests = [d for d in documents if "resourceLogs" not in d]
    if len(requests) > 1:
        return (s.name, f"{len(requests)} documents")
    try:
        for d in requests if own else ():
            definitions.decode("ExportTraceServiceRequest", d)
    except ValueError as e:
        return (s.name, str(e))
    wrong = check_spans(requests[0], sum(r["type"] == "run_start" for r in s.records())) if own else None
    return (s.name, wrong) if wrong else None


def run(suite):
    where = os.path.join(suite.shared, "data", "corpora", "07-otlp", "dev", "proto", "opentelemetry", "proto")
    if not os.path.isdir(where):
        suite.skip("otlp", f"{where} is not there")
        return
    definitions = Definitions(where)
    samples = [s for s in suite.samples() if s.out]
    base = suite.directory("otlp")
    bad = [hit for hit in suite.each(lambda s: check_sample(suite, definitions, base, s), samples) if hit]
    suite.check("otlp: one request that decodes, with a trace and a root for each run", bad, len(samples))

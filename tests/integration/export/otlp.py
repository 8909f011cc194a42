"""OTLP in both encodings: protobuf decoded by the field numbers of opentelemetry-proto 1.11, compared with the JSON."""

import json
import os
import struct

# message: {field number: (name in JSON, what it is)}; what ends in [] is repeated
ATTRIBUTES = ("attributes", "KeyValue[]")
MESSAGES = {
    "Traces": {1: ("resourceSpans", "ResourceSpans[]")},
    "ResourceSpans": {1: ("resource", "Resource"), 2: ("scopeSpans", "ScopeSpans[]"), 3: ("schemaUrl", "text")},
    "ScopeSpans": {1: ("scope", "Scope"), 2: ("spans", "Span[]"), 3: ("schemaUrl", "text")},
    "Metrics": {1: ("resourceMetrics", "ResourceMetrics[]")},
    "ResourceMetrics": {1: ("resource", "Resource"), 2: ("scopeMetrics", "ScopeMetrics[]"), 3: ("schemaUrl", "text")},
    "ScopeMetrics": {1: ("scope", "Scope"), 2: ("metrics", "Metric[]"), 3: ("schemaUrl", "text")},
    "Resource": {1: ATTRIBUTES},
    "Scope": {1: ("name", "text"), 2: ("version", "text"), 3: ATTRIBUTES},
    "KeyValue": {1: ("key", "text"), 2: ("value", "AnyValue")},
    "AnyValue": {1: ("stringValue", "text"), 2: ("boolValue", "bool"), 3: ("intValue", "int"), 4: ("doubleValue", "double"),
                 5: ("arrayValue", "Array")},
    "Array": {1: ("values", "AnyValue[]")},
    "Span": {1: ("traceId", "hex"), 2: ("spanId", "hex"), 4: ("parentSpanId", "hex"), 5: ("name", "text"), 6: ("kind", "number"),
             7: ("startTimeUnixNano", "fixed"), 8: ("endTimeUnixNano", "fixed"), 9: ATTRIBUTES, 10: ("droppedAttributesCount", "number"),
             13: ("links", "Link[]"), 14: ("droppedLinksCount", "number"), 15: ("status", "Status"), 16: ("flags", "fixed32")},
    "Link": {1: ("traceId", "hex"), 2: ("spanId", "hex"), 4: ATTRIBUTES},
    "Status": {2: ("message", "text"), 3: ("code", "number")},
    "Metric": {1: ("name", "text"), 3: ("unit", "text"), 9: ("histogram", "Histogram")},
    "Histogram": {1: ("dataPoints", "Point[]"), 2: ("aggregationTemporality", "number")},
    "Point": {2: ("startTimeUnixNano", "fixed"), 3: ("timeUnixNano", "fixed"), 4: ("count", "fixed"), 5: ("sum", "double"),
              6: ("bucketCounts", "fixed packed"), 7: ("explicitBounds", "double packed"), 9: ATTRIBUTES, 11: ("min", "double"),
              12: ("max", "double")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, wire type, value) of a message; of bytes the bytes, of everything else a number"""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if wire != 2 or len(value) != size:
                raise ValueError(f"wire type {wire} or a length of {size} at {at}")
        yield number, value


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def scalar(kind, value):
    """As the JSON has it."""
    if kind == "text":
        return value.decode()
    if kind == "hex":
        return value.hex()
    if kind == "bool":
        return bool(value)
    if kind == "int":
        return str(value - (value >> 63 << 64))
    if kind == "fixed":
        return str(value)
    if kind == "double":
        return double(value)
    if kind == "fixed packed":
        return [str(n) for n, in struct.iter_unpack("<Q", value)]
    if kind == "double packed":
        return [n for n, in struct.iter_unpack("<d", value)]
    return value


def decode(message, data):
    out = {}
    for number, value in fields(data):
        name, kind = MESSAGES[message][number]
        if kind.endswith("[]"):
            out.setdefault(name, []).append(decode(kind[:-2], value))
        elif kind in MESSAGES:
            out[name] = decode(kind, value)
        else:
            out[name] = scalar(kind, value)
    return out


def documents(text):
    """The lines of the file form, joined as protobuf joins requests."""
    out = {}
    for line in text.splitlines():
        for name, groups in json.loads(line).items():
            out.setdefault(name, []).extend(groups)
    return out


def plain(value):
    """Numbers are equal however they are spelled; an empty list is no list; attributes have no order."""
    if isinstance(value, dict):
        out = {k: plain(v) for k, v in value.items() if v != []}
        if "attributes" in out:
            out["attributes"].sort(key=lambda a: a["key"])
        return out
    if isinstance(value, list):
        return [plain(v) for v in value]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def whole(document):
    """Resource, scope and one list: where a request ends depends on its bytes, and so on the encoding."""
    groups, lists = [], []
    for group in [g for found in document.values() for g in found]:
        scope, = group.pop("scopeSpans", None) or group.pop("scopeMetrics")
        lists += scope.pop("spans", None) or scope.pop("metrics", [])
        groups.append((group, scope))
    return plain([g for g in groups[:1]]), all(g == groups[0] for g in groups), plain(lists)


PAIRS = (("otlp-json", "otlp-proto", "Traces"), ("otlp-metrics-json", "otlp-metrics-proto", "Metrics"))


def both(export, suite, paths, options=()):
    """(name, what is wrong) where the two encodings say different things"""
    for as_json, as_proto, message in PAIRS:
        first, text, said = export(suite, as_json, paths, options)
        second, data, _ = export(suite, as_proto, paths, options)
        if first != second or first not in (0, 3):
            yield as_json, f"exit {first} and {second}: {said[-200:]}"
        elif whole(decode(message, data)) != whole(documents(text)):
            yield as_json, "the encodings differ"


def sample(export, suite, place):
    """The samples, in which TOOLNAME stands for our name."""
    trace = [os.path.join(place, "agent-trace.jsonl")]
    for (as_json, as_proto, message), name in zip(PAIRS, ("otlp-traces", "otlp-metrics")):
        with open(os.path.join(place, name + ".json"), encoding="utf-8") as f:
            want = whole(json.loads(f.read().replace("TOOLNAME", "trackway")))
        with open(os.path.join(place, name + ".pb"), "rb") as f:
            packed = whole(decode(message, f.read().replace(b"TOOLNAME", b"trackway")))
        if whole(documents(export(suite, as_json, trace)[1])) != want:
            yield name + ".json", "spans, attributes or metrics differ"
        if whole(decode(message, export(suite, as_proto, trace)[1])) != packed:
            yield name + ".pb", "spans, attributes or metrics differ"

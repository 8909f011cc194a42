"""Spans and log records as OTLP, in JSON and in protobuf, made of the same values; and how they are sent."""

import gzip
import http.client
import json
import struct
import subprocess
import time
import urllib.parse
import zlib

BEGUN = 1790000000 * 10**9
JSON, PROTO = "application/json", "application/x-protobuf"


def span(trace, number, name, attributes, parent=0, begun=BEGUN, seconds=1.0, failed=False):
    return {"trace": trace, "id": f"{number:016x}", "parent": f"{parent:016x}" if parent else "", "name": name,
            "begun": begun, "ended": begun + int(seconds * 1e9), "attributes": attributes, "failed": failed}


def model_span(trace, number, response, model="gpt-x", content=None, **more):
    """A model call as the GenAI conventions have it; content stands in every place that may hold some."""
    given = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": model,
             "gen_ai.response.model": model, "gen_ai.response.id": response, "gen_ai.usage.input_tokens": 11,
             "gen_ai.usage.output_tokens": 7}
    if content:
        said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": content}]}])
        given |= {"gen_ai.input.messages": said, "gen_ai.output.messages": said, "gen_ai.system_instructions": said,
                  "gen_ai.tool.definitions": said, "gen_ai.prompt.0.content": content, "input.value": content,
                  "llm.input_messages.0.message.content": content, "traceloop.entity.input": content, "http.url": content}
    return span(trace, number, f"chat {model}", given, **more)


# ---- JSON ----


def json_value(v):
    if isinstance(v, bool):
        return {"boolValue": v}
    if isinstance(v, int):
        return {"intValue": str(v)}
    return {"doubleValue": v} if isinstance(v, float) else {"stringValue": v}


def json_attributes(given):
    return [{"key": k, "value": json_value(v)} for k, v in given.items()]


def as_json(spans, resource=None):
    listed = [{"traceId": s["trace"], "spanId": s["id"], "parentSpanId": s["parent"], "name": s["name"], "kind": 3,
               "startTimeUnixNano": str(s["begun"]), "endTimeUnixNano": str(s["ended"]),
               "attributes": json_attributes(s["attributes"]), "status": {"code": 2} if s["failed"] else {}} for s in spans]
    return json.dumps({"resourceSpans": [{"resource": {"attributes": json_attributes(resource or {})},
                                          "scopeSpans": [{"scope": {"name": "test"}, "spans": listed}]}]}).encode()


# ---- protobuf ----


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """Of bytes, a text, a number (varint) or a tuple with one (fixed64)."""
    if isinstance(value, tuple):
        return varint(number << 3 | 1) + struct.pack("<Q", value[0])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def proto_value(v):
    if isinstance(v, bool):
        return field(2, int(v))
    if isinstance(v, int):
        return field(3, v)
    return varint(4 << 3 | 1) + struct.pack("<d", v) if isinstance(v, float) else field(1, v)


def proto_attributes(number, given):
    return b"".join(field(number, field(1, k) + field(2, proto_value(v))) for k, v in given.items())


def proto_span(s):
    out = field(1, bytes.fromhex(s["trace"])) + field(2, bytes.fromhex(s["id"]))
    if s["parent"]:
        out += field(4, bytes.fromhex(s["parent"]))
    out += field(5, s["name"]) + field(6, 3) + field(7, (s["begun"],)) + field(8, (s["ended"],))
    return out + proto_attributes(9, s["attributes"]) + (field(15, field(3, 2)) if s["failed"] else b"")


def as_proto(spans, resource=None):
    scope = field(1, field(1, "test")) + b"".join(field(2, proto_span(s)) for s in spans)
    return field(1, field(1, proto_attributes(1, resource or {})) + field(2, scope))


# ---- sending ----


def zstd(body):
    """None where the program is not installed."""
    try:
        return subprocess.run(["zstd", "-q", "-c"], input=body, capture_output=True, check=True).stdout
    except OSError:
        return None


PACKED = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd}


class Answer:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds


def post(url, path, body, media=JSON, method="POST", headers=None, chunked=False, timeout=120):
    """body: bytes, or pieces of them with chunked."""
    at = urllib.parse.urlsplit(url)
    conn = http.client.HTTPConnection(at.hostname, at.port, timeout=timeout)
    start = time.monotonic()
    try:
        conn.request(method, path, body=body, headers={**({"Content-Type": media} if media else {}), **(headers or {})},
                     encode_chunked=chunked)
        got = conn.getresponse()
        return Answer(got.status, got.headers, got.read(), time.monotonic() - start)
    finally:
        conn.close()

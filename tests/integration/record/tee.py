"""
A tee: every request of an agent and its answer as the model's side saw them, one JSON object a line: n, t and te (begin
and end, seconds), method, path, headers, body, status, rheaders, rbody. A message over a WebSocket has the method WS, and
its rbody has a message a line. What the wire says of itself is read here once more, by other means than the program's.
"""

import json
import re
import struct
import zlib

HOP = {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te"}
SOCKET = {"sec-websocket-accept", "sec-websocket-extensions"}  # set anew by whoever answers
SUBAGENT = {"x-openai-subagent", "x-codex-parent-thread-id", "x-claude-code-agent-id"}


class Entry:
    def __init__(self, raw):
        self.t = raw["t"]
        self.te = max(raw.get("te") or raw["t"], raw["t"])
        self.method, self.path, self.status = raw["method"], raw["path"], raw["status"]
        self.headers = [tuple(h) for h in raw.get("headers") or []]
        self.rheaders = [tuple(h) for h in raw.get("rheaders") or []]
        self.text, self.said = raw.get("body") or "", raw.get("rbody") or ""
        self.opens = self.method == "GET" and self.status == 101
        self.socket = None  # of a message: the entry that opened its connection

    def header(self, name):
        return next((v for k, v in self.headers if k.lower() == name), "")

    def body(self):
        return pack(self.header("content-encoding"), self.text.encode())

    def answer(self):
        coding = next((v for k, v in self.rheaders if k.lower() == "content-encoding"), "")
        return pack(coding, self.said.encode())

    def messages(self):
        """The answers to a message of a WebSocket."""
        return [m for m in self.said.split("\n") if m]

    # ---- what it says ----

    def request(self):
        return value_of(self.text)

    def values(self):
        """All JSON values of the answer: of a stream's events, of lines, of a list, or the one."""
        whole = value_of(self.said)
        if whole is not None:
            return whole if isinstance(whole, list) else [whole]
        lines = (line.removeprefix("data:").strip() for line in self.said.split("\n"))
        return [v for v in map(value_of, lines) if isinstance(v, dict)]

    def is_model_call(self):
        q, end = self.request(), self.path.split("?")[0]
        if self.method == "WS":
            return isinstance(q, dict) and q.get("type") == "response.create" and q.get("generate") is not False
        return self.method == "POST" and isinstance(q, dict) and bool(MODEL_ENDS.search(end))

    def model(self):
        named = re.search(r"/models/([^/:]+):", self.path)
        return named.group(1) if named else (self.request() or {}).get("model")

    def usage(self):
        """(input, output) tokens; None when the answer says nothing."""
        told = {}
        for v in self.values():
            inner = v.get("message") or v.get("response") or v
            for place in (v, inner if isinstance(inner, dict) else v):
                told.update({k: n for k, n in flat(place.get("usage") or place.get("usageMetadata")) if isinstance(n, int)})
                told.update({k: place[k] for k in ("prompt_eval_count", "eval_count") if isinstance(place.get(k), int)})
        for get in USAGES:
            found = get(told)
            if found:
                return found
        return None

    def calls(self):
        """Names of the calls that the answer asks for."""
        found = {}
        for place, v in enumerate(self.values()):
            for key, name in calls_in(v, place):
                found.setdefault(key, name)
        return list(found.values())

    def results(self):
        """How many results of tools the request tells of."""
        return sum(1 for o in objects(self.request()) if is_result(o))

    def is_subagent(self):
        told = {k.lower() for k, _ in self.headers}
        return bool(told & SUBAGENT)


MODEL_ENDS = re.compile(r"(/chat/completions|/responses|/messages|/api/chat|/api/generate|/v[12]/chat|:(stream)?[gG]enerateContent)$")

USAGES = (
    lambda u: (u["promptTokenCount"] + u.get("toolUsePromptTokenCount", 0),
               u.get("candidatesTokenCount", 0) + u.get("thoughtsTokenCount", 0)) if "promptTokenCount" in u else None,
    lambda u: (u["prompt_tokens"], u.get("completion_tokens", 0)) if "prompt_tokens" in u else None,
    lambda u: (u["prompt_eval_count"], u.get("eval_count", 0)) if "prompt_eval_count" in u else None,
    lambda u: (u["input_tokens"] + u.get("cache_creation_input_tokens", 0) + u.get("cache_read_input_tokens", 0),
               u.get("output_tokens", 0)) if "input_tokens" in u else None,
)


def flat(usage):
    """The figures of a usage; Cohere's are in an object of their own."""
    if not isinstance(usage, dict):
        return []
    return {**usage, **(usage.get("tokens") or {})}.items()


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def objects(v):
    """Every object in a value, however deep."""
    waiting = [v]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
        waiting.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())


def is_result(o):
    kind = o.get("type")
    return (kind == "tool_result" or (isinstance(kind, str) and kind.endswith("_call_output"))
            or o.get("role") == "tool" or isinstance(o.get("functionResponse"), dict))


def calls_in(v, place):
    """(key, name) of each call in one value of an answer; the same key is the same call."""
    delta = (v.get("choices") or [{}])[0] if isinstance(v.get("choices"), list) and v["choices"] else {}
    for said in (delta.get("delta"), delta.get("message"), v.get("message"), (v.get("delta") or {}).get("message")
                 if isinstance(v.get("delta"), dict) else None):
        listed = said.get("tool_calls") if isinstance(said, dict) else None
        for at, call in enumerate([listed] if isinstance(listed, dict) else listed or []):
            name = (call.get("function") or {}).get("name")
            if name:
                yield (call.get("index", (place, at)) if "delta" in delta else (place, at), name)
    for o in objects({k: x for k, x in v.items() if k != "choices"}):
        kind = o.get("type")
        if kind in ("tool_use", "function_call", "custom_tool_call", "local_shell_call") and (o.get("name") or kind == "local_shell_call"):
            yield (o.get("call_id") or o.get("id"), o.get("name") or kind)
        if isinstance(o.get("functionCall"), dict):
            yield ((place, id(o)), o["functionCall"].get("name"))


# ---- packing ----


def pack(coding, data):
    """As the header says; zstd without packing anything, which its format allows."""
    coding = coding.strip().lower()
    if not data or coding in ("", "identity"):
        return data
    if coding == "zstd":
        return zstd_stored(data)
    bits = {"gzip": 31, "x-gzip": 31, "deflate": 15}.get(coding)
    if bits is None:
        raise ValueError(f"bodies with the coding {coding} cannot be made here")
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(data) + packer.flush()


def zstd_stored(data):
    frame = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", len(data))
    blocks = [data[i : i + (1 << 17)] for i in range(0, len(data), 1 << 17)]
    for i, block in enumerate(blocks):
        frame += struct.pack("<I", len(block) << 3 | (i == len(blocks) - 1))[:3] + block
    return frame


# ---- a whole tee ----


def read(path):
    with open(path, encoding="utf-8") as f:
        entries = sorted((Entry(json.loads(line)) for line in f if line.strip()), key=lambda e: e.t)
    opened = None
    for e in entries:
        if e.opens:
            opened = e
        if e.method == "WS":
            e.socket = opened
    return entries


class Truth:
    """What the table of a README says of a run: '4 (2 failed) / 3; 2800 in, 54 out'. None for what it does not say."""

    def __init__(self, text, inputs=""):
        numbers = re.match(r"\s*(\d+)\s*(?:\((\d+)( failed)?\))?(?:\s*/\s*(\d+))?", text)
        tokens = re.search(r"(\d+) in, (\d+) out", text)
        self.text = text.strip()
        self.models = self.failed = self.status = self.tools = None
        if numbers:
            self.models = int(numbers.group(1))
            self.failed = int(numbers.group(2)) if numbers.group(3) else None
            self.status = int(numbers.group(2)) if numbers.group(2) and not numbers.group(3) else None
            self.tools = int(numbers.group(4)) if numbers.group(4) else None
        self.inputs = int(inputs) if inputs.isdigit() else None
        self.tokens = (int(tokens.group(1)), int(tokens.group(2))) if tokens else None


def truths(readme):
    """run -> Truth, of the table whose head has the column 'truth', and perhaps 'user inputs'."""
    found, column, inputs = {}, None, None
    with open(readme, encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if column is None:
                column = next((i for i, c in enumerate(cells) if c.startswith("truth")), None)
                inputs = cells.index("user inputs") if "user inputs" in cells else None
            elif len(cells) > column and not set(cells[0]) <= set("-: "):
                names, told = re.split(r",\s*", cells[0]), cells[column].split(" and ")
                for i, name in enumerate(names):
                    found[name] = Truth(told[min(i, len(told) - 1)], cells[inputs] if inputs else "")
    return found

"""convert_peer.py FILE|DIR...: Claude Code sessions and logs of OpenAI chat exchanges to OTUTL, on standard output.

What a plain converter in Python is: json from the standard library, a file at a time in memory, the same records and
members as `trackway convert --to otutl` writes. A message id that several lines have is one step, with the usage that
has the largest output; what has no field of its own goes to ext; a call without a result gives an error.
"""

import datetime
import hashlib
import json
import os
import sys
from urllib.parse import quote

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

# USD per million tokens: input, output, cache read, cache write
PRICES = {
    "claude-opus-4-6": (5, 25, 0.5, 6.25),
    "claude-sonnet-4-5-20250929": (3, 15, 0.3, 3.75),
    "claude-haiku-4-5-20251001": (1, 5, 0.1, 1.25),
    "gpt-4o-2024-08-06": (2.5, 10, 1.25, 2.5),
    "gpt-4.1-2025-04-14": (2, 8, 0.5, 2),
    "gpt-5-mini-2025-08-07": (0.25, 2, 0.025, 0.25),
}
PRICE_TABLE = "sha256:" + hashlib.sha256(repr(sorted(PRICES.items())).encode()).hexdigest()

LINE_TAKEN = {"message", "timestamp", "type", "requestId"}
MESSAGE_TAKEN = {"id", "model", "content", "usage", "stop_reason", "role", "type"}
USAGE_TAKEN = {"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}
TOTALS = ("tokens_in", "tokens_out", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")


def rest(value, taken):
    return {k: v for k, v in value.items() if k not in taken}


def tool_uri(vendor, name):
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        return f"mcp://{quote(server, safe='')}/{quote(tool, safe='')}"
    return f"tool://{vendor}/{quote(name, safe='')}"


def run_id(vendor, vendor_id, ts):
    digest = hashlib.sha256(f"otutl-run\0{vendor}\0{vendor_id}".encode()).digest()
    ms = int(datetime.datetime.fromisoformat(ts.replace("Z", "+00:00")).timestamp() * 1000)
    bits = ms << 80 | 7 << 76 | int.from_bytes(digest[:2], "big") >> 4 << 64
    h = f"{bits | 2 << 62 | int.from_bytes(digest[2:10], 'big') >> 2:032x}"
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


class Run:
    def __init__(self, vendor, vendor_id, ts, source, **members):
        self.out = []
        self.seq = 0
        self.vendor = vendor
        self.id = run_id(vendor, vendor_id, ts)
        self.ts = ts
        self.open = {}
        self.totals = dict.fromkeys(TOTALS, 0)
        self.cost = 0
        self.notes = []
        self.add("run_start", ts, otutl="1", vendor=vendor, vendor_run_id=vendor_id, source=source, **members)

    def add(self, kind, ts, ext=None, **members):
        if ts:
            self.ts = ts
        record = {"type": kind, "ts": self.ts, "run_id": self.id, "seq": self.seq, **members}
        if self.notes:
            ext = {**(ext or {}), "trackway/1": {"notes": self.notes}}
            self.notes = []
        if ext:
            record["ext"] = ext
        self.seq += 1
        self.out.append(encode(record))

    def call(self, ts, call_id, name, args, step_id):
        self.open[call_id] = True
        self.add("tool_call", ts, call_id=call_id, tool=tool_uri(self.vendor, name), args=args, step_id=step_id)

    def result(self, ts, call_id, result, is_error=None, ext=None):
        members = {} if is_error is None else {"is_error": is_error}
        if self.open.pop(call_id, None):
            self.add("tool_result", ts, ext, call_id=call_id, result=result, **members)
        else:
            self.add("error", ts, ext, code="orphan_result", message="a result without a call", **{"class": "tool"})

    def bill(self, model, step_id, usage):
        for key in TOTALS:
            self.totals[key] += usage.get(key, 0)
        price = PRICES.get(model)
        members = {}
        if price:
            read, written = usage["cache_read_tokens"], usage.get("cache_write_tokens", 0)
            plain = usage["tokens_in"] - read - written
            usd = (plain * price[0] + usage["tokens_out"] * price[1] + read * price[2] + written * price[3]) / 1e6
            members = {"estimated_cost_usd": usd, "price_table": PRICE_TABLE}
            self.cost += usd
        self.add("cost", None, scope="step", model=model, step_id=step_id, **usage, **members)

    def end(self):
        for call_id in self.open:
            self.add("error", None, call_id=call_id, code="no_result", message="the call has no result",
                     **{"class": "tool"})
        self.add("run_end", None, status="interrupted" if self.open else "success",
                 totals={**self.totals, "estimated_cost_usd": self.cost})
        return self.out


def usage_of(u):
    read, written = u.get("cache_read_input_tokens") or 0, u.get("cache_creation_input_tokens") or 0
    return {"tokens_in": (u.get("input_tokens") or 0) + read + written, "tokens_out": u.get("output_tokens") or 0,
            "cache_read_tokens": read, "cache_write_tokens": written}


class Step:
    """The lines of one response."""

    def __init__(self, line, message):
        self.id, self.model = message.get("id"), message.get("model")
        self.usage = {}
        self.stop = None
        self.texts, self.thoughts, self.calls, self.ext = [], [], [], []

    def add(self, line, message):
        self.ts = line.get("timestamp")
        usage = message.get("usage") or {}
        if (usage.get("output_tokens") or 0) >= (self.usage.get("output_tokens") or 0):
            self.usage = usage
        self.stop = message.get("stop_reason") or self.stop
        left = []
        for block in message.get("content") or []:
            kind = block.get("type")
            if kind == "text":
                self.texts.append(block["text"])
            elif kind == "thinking":
                self.thoughts.append(block["thinking"])
                left.append(rest(block, {"thinking"}))
            elif kind == "tool_use":
                self.calls.append((self.ts, block))
            else:
                left.append(block)
        ext = rest(line, LINE_TAKEN)
        ext["message"] = rest(message, MESSAGE_TAKEN)
        ext["message"]["usage"] = rest(usage, USAGE_TAKEN)
        if left:
            ext["message"]["content"] = left
        self.ext.append(ext)

    def emit(self, run, request):
        members = {"request": request} if request else {}
        if self.thoughts:
            members["reasoning"] = "".join(self.thoughts)
        usage = usage_of(self.usage)
        run.add("model_step", self.ts, {"claude-code/1": self.ext[0] if len(self.ext) == 1 else {"pieces": self.ext}},
                step_id=self.id, model=self.model, provider="anthropic", text="".join(self.texts),
                stop_reason=self.stop, call_ids=[block["id"] for _, block in self.calls], usage=usage, **members)
        run.bill(self.model, self.id, usage)
        for ts, block in self.calls:
            run.call(ts, block["id"], block["name"], block["input"], self.id)


def claude_user(run, line, request):
    message = line["message"]
    content = message.get("content")
    ext = {"claude-code/1": rest(line, LINE_TAKEN)}
    if isinstance(content, list):
        for block in content:
            if block.get("type") == "tool_result":
                run.result(line.get("timestamp"), block.get("tool_use_id"), block.get("content"),
                           block.get("is_error"), ext)
            else:
                request.append({"role": "user", "content": [block], "ext": ext})
    else:
        request.append({"role": "user", "content": content, "ext": ext})


def convert_claude(lines, source):
    steps, order, run, request = {}, [], None, []
    for line in lines:
        message = line.get("message")
        if line.get("type") == "assistant" and message:
            step = steps.get(message["id"])
            if not step:
                step = steps[message["id"]] = Step(line, message)
                order.append(step)
            step.add(line, message)
        else:
            order.append(line)
    for item in order:
        if not run:
            first = item.ts if isinstance(item, Step) else item.get("timestamp") or item["snapshot"]["timestamp"]
            session = next(line["sessionId"] for line in lines if "sessionId" in line)
            version = next(line.get("version") for line in lines if "sessionId" in line)
            run = Run("anthropic", session, first, source, agent={"name": "claude-code", "version": version})
        if isinstance(item, Step):
            item.emit(run, request)
            request = []
        elif item.get("type") == "user":
            claude_user(run, item, request)
        else:
            value = rest(item, {"type", "timestamp"})
            run.notes.append({"name": item.get("type"), "ts": item.get("timestamp"), "value": value})
    return run.end()


def arguments(text):
    try:
        return {"args": json.loads(text) if text else {}}
    except ValueError:
        return {"args": text, "args_encoding": "raw"}


def openai_answer(run, exchange, request):
    answer = exchange["response"]["body"]
    usage = answer.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    spent = {
        "tokens_in": usage.get("prompt_tokens", 0),
        "tokens_out": usage.get("completion_tokens", 0),
        "cache_read_tokens": details.get("cached_tokens", 0),
        "reasoning_tokens": (usage.get("completion_tokens_details") or {}).get("reasoning_tokens", 0),
    }
    ts = datetime.datetime.fromtimestamp(answer["created"], datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    choice = answer["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls") or []
    output = usage.get("completion_tokens_details") or {}
    left = rest(answer, {"id", "model"})
    left["choices"] = [{**rest(choice, {"finish_reason"}), "message": rest(message, {"role", "content", "tool_calls"})}]
    left["usage"] = {
        **rest(usage, {"prompt_tokens", "completion_tokens"}),
        "prompt_tokens_details": rest(details, {"cached_tokens"}),
        "completion_tokens_details": rest(output, {"reasoning_tokens"}),
    }
    request_left = rest(exchange["request"]["body"], {"messages", "model", "tools"})
    ext = {
        "request": {**exchange["request"], "body": request_left},
        "response": {**exchange["response"], "body": left},
    }
    run.add("model_step", ts, {"openai-chat/1": ext}, step_id=answer["id"], model=answer["model"], provider="openai",
            text=message.get("content") or "", stop_reason=choice["finish_reason"], call_ids=[c["id"] for c in calls],
            usage=spent, **({"request": request} if request else {}))
    run.bill(answer["model"], answer["id"], spent)
    for call in calls:
        function = call["function"]
        run.open[call["id"]] = True
        run.add("tool_call", None, call_id=call["id"], tool=tool_uri("openai", function["name"]), step_id=answer["id"],
                **arguments(function["arguments"]))


def convert_openai(lines, source):
    first = lines[0]["response"]["body"]
    ts = datetime.datetime.fromtimestamp(first["created"], datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    run = Run("openai", first["id"], ts, source, tools=lines[0]["request"]["body"].get("tools"))
    seen = 0
    for exchange in lines:
        request = []
        messages = exchange["request"]["body"]["messages"]
        for message in messages[seen:]:
            if message["role"] == "tool":
                run.result(None, message["tool_call_id"], message["content"])
            else:
                request.append(message)
        seen = len(messages) + 1
        openai_answer(run, exchange, request)
    return run.end()


def convert_file(path, write):
    with open(path, "rb") as f:
        data = f.read()
    lines = [json.loads(line) for line in data.decode().split("\n") if line]
    if not lines:
        return
    claude = "request" not in lines[0]
    source = {"format": "claude-code" if claude else "openai-chat", "file_sha256": hashlib.sha256(data).hexdigest()}
    records = convert_claude(lines, source) if claude else convert_openai(lines, source)
    write("\n".join(records).encode("utf-8", "surrogatepass"))
    write(b"\n")


def main():
    for arg in sys.argv[1:]:
        paths = sorted(os.path.join(arg, name) for name in os.listdir(arg)) if os.path.isdir(arg) else [arg]
        for path in paths:
            convert_file(path, sys.stdout.buffer.write)


main()

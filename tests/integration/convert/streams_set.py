"""Recorded streams of the APIs: text, tool calls, finish and usage as an independent reader joined them."""

import hashlib
import json
import os
from urllib.parse import unquote

from converting import table
from harness import rows

APIS = {
    "openai-chat": "openai-chat",
    "openai-completions": "openai-chat",
    "anthropic-messages": "anthropic",
    "openai-responses": "openai-responses",
    "gemini": "gemini",
}

# Tools that the service runs itself: the recorded counts are of functions only.
SERVED = {
    "web_search", "file_search", "code_interpreter", "image_generation",
    "computer", "local_shell", "shell", "apply_patch",
}


def sha(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def events_of(path):
    """The JSON values of a stream, in order."""
    with open(path, encoding="utf-8", errors="replace", newline="") as f:
        text = f.read().replace("\r\n", "\n").replace("\r", "\n")
    for block in text.split("\n\n"):
        data = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        try:
            yield json.loads("\n".join(data))
        except ValueError:
            pass


def arguments_of(path):
    """Every joined arguments text of the stream, by its digest."""
    joined, done = {}, set()
    for e in events_of(path):
        if not isinstance(e, dict):
            continue
        for choice in e.get("choices") or []:
            delta = choice.get("delta") or {}
            for call in delta.get("tool_calls") or []:
                own = None if "index" in call else call.get("id")
                key = ("chat", choice.get("index"), call.get("index", 0), own)
                joined[key] = joined.get(key, "") + ((call.get("function") or {}).get("arguments") or "")
            if delta.get("function_call"):
                key = ("function", choice.get("index"))
                joined[key] = joined.get(key, "") + (delta["function_call"].get("arguments") or "")
        if e.get("type") == "content_block_delta" and e["delta"].get("type") == "input_json_delta":
            key = ("block", e["index"])
            joined[key] = joined.get(key, "") + e["delta"]["partial_json"]
        if e.get("type") == "response.function_call_arguments.done":
            done.add(e["arguments"])
        item = e.get("item") if e.get("type") == "response.output_item.done" else None
        if item and isinstance(item.get("arguments"), str):
            done.add(item["arguments"])
    return {sha(text): text for text in [*joined.values(), *done]}


def gemini_calls(path):
    """Calls of a Gemini stream: whole ones, which the recorded counts leave out."""
    for e in events_of(path):
        for candidate in e.get("candidates") or []:
            for part in (candidate.get("content") or {}).get("parts") or []:
                if "functionCall" in part:
                    yield part["functionCall"]


def value_of(text):
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError:
        return text


def usage_of(api, usage):
    """(input, output) in the meaning of the log."""
    if api == "anthropic-messages":
        parts = usage.get("iterations") or []
        if not any(p.get("type") == "compaction" for p in parts):
            parts = [usage]
        inside = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return sum(p.get(k) or 0 for p in parts for k in inside), sum(p.get("output_tokens") or 0 for p in parts)
    if api == "gemini":
        return tuple(
            sum(usage.get(k) or 0 for k in names)
            for names in (("promptTokenCount", "toolUsePromptTokenCount"), ("candidatesTokenCount", "thoughtsTokenCount"))
        )
    given = usage.get("prompt_tokens", usage.get("input_tokens"))
    made = usage.get("completion_tokens", usage.get("output_tokens"))
    total = usage.get("total_tokens")
    if total is not None and given is not None and made is not None and total > given + made:
        made = total - given
    return given, made


def compare(suite, where, row):
    path = os.path.join(where, os.path.basename(row["file"]))
    name = os.path.basename(row["file"])
    status, out, said = suite.call(["convert", path, "--to", "otutl"])
    if status != 0:
        return [(name, f"refused: {' '.join(said.split())[:120]}")]
    records = [json.loads(line) for line in out.splitlines()]
    steps = [r for r in records if r["type"] == "model_step"]
    wrong = []
    text = "".join(s.get("text") or "" for s in steps)
    want = [t for t in row["text"] if t["len_utf16"]]
    if len(want) == 1 and sha(text) != want[0]["sha256"]:
        wrong.append(f"text of {len(text.encode('utf-16-le')) // 2} units and not {want[0]['len_utf16']}")
    elif len(text.encode("utf-16-le", "surrogatepass")) // 2 != sum(t["len_utf16"] for t in want):
        wrong.append(f"text of {len(text.encode('utf-16-le')) // 2} units and not {sum(t['len_utf16'] for t in want)}")
    calls = [r for r in records if r["type"] == "tool_call"]
    wrong += compare_calls(path, row, calls)
    finish = [s["stop_reason"] for s in steps if s.get("stop_reason")]
    if row["finish"] and not any(f in row["finish"] for f in finish):
        wrong.append(f"stop_reason {finish} and not {row['finish']}")
    if row["usage"]:
        given, made = usage_of(row["api"], row["usage"])
        usage = [s.get("usage") or {} for s in steps]
        got = tuple(sum(u.get(k) or 0 for u in usage) for k in ("input_tokens", "output_tokens"))
        if got != (given or 0, made or 0):
            wrong.append(f"usage {got} and not {(given, made)}: {json.dumps(row['usage'])[:150]}")
    return [(name, w) for w in wrong]


def compare_gemini_calls(path, calls):
    want = sorted((c["name"], json.dumps(c.get("args") or {}, sort_keys=True)) for c in gemini_calls(path))
    got = sorted((unquote(c["tool"].rpartition("/")[2]), json.dumps(c["args"], sort_keys=True)) for c in calls)
    return [] if got == want else [f"calls {got} and not {want}"[:300]]


def compare_calls(path, row, calls):
    if row["api"] == "gemini":
        return compare_gemini_calls(path, calls)
    joined = arguments_of(path)
    if len(calls) > len(row["tool_calls"]):
        calls = [c for c in calls if c["tool"].rpartition("/")[2] not in SERVED and not c["tool"].startswith("mcp:")]
    got = sorted(json.dumps(c["args"], sort_keys=True) for c in calls)
    want, unknown = [], 0
    for call in row["tool_calls"]:
        text = joined.get(call.get("arguments_sha256") or call.get("args_sha256") or call.get("sha256"))
        unknown += text is None
        want.append(json.dumps(value_of(text or ""), sort_keys=True))
    if len(calls) != len(want):
        return [f"{len(calls)} calls and not {len(want)}"]
    names = sorted(unquote(c["tool"].rpartition("/")[2]) for c in calls)
    wanted = sorted(c.get("name") or "" for c in row["tool_calls"])
    if names != wanted and all(wanted):
        return [f"calls of {names} and not {wanted}"[:300]]
    if unknown:
        return [f"{unknown} recorded digests are of no arguments in the stream"]
    if got != sorted(want):
        return [f"calls with {got} and not {sorted(want)}"[:300]]
    return []


def run(suite):
    where = suite.data("streams", os.path.join("corpora", "04-sse", "dev", "transcripts"))
    if not where:
        return
    allowed = {(name, part) for name, part, _ in table("streams.tsv", 3)}
    chosen = [r for r in rows(os.path.join(where, "EXPECT.jsonl")) if r["api"] in APIS]
    for api in APIS:
        mine = [r for r in chosen if r["api"] == api]
        bad = [w for found in suite.each(lambda r: compare(suite, where, r), mine) for w in found]
        reviewed = [(n, w) for n, w in bad if (n, w.split()[0]) in allowed]
        suite.check(f"streams: {api}", [b for b in bad if b not in reviewed], len(mine))
        if reviewed:
            suite.note(f"{len(reviewed)} reviewed in streams.tsv")

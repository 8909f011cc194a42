"""Through every format that can be written and back: what it can hold comes back, and the rest is listed."""

import json
import os
from collections import defaultdict
from datetime import datetime
from urllib.parse import unquote

from converting import table, to_options

FORMATS = (
    "otutl", "agent-trace", "trajectory", "conversation", "conversation-openai", "conversation-anthropic",
    "atif", "claude-code", "otlp-json", "langsmith",
)
OWN = {"harbor_atif": "atif", "otlp_genai": "otlp-json"}
COST_TOKENS = ("tokens_in", "tokens_out", "cache_read_tokens", "cache_write_tokens")
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")


def tool_name(uri):
    """A trace has no URIs: there an MCP tool is server.tool."""
    server, _, name = uri.partition("://")[2].partition("/")
    own = unquote(uri.rpartition("/")[2])
    return f"{unquote(server)}.{unquote(name)}" if uri.startswith("mcp://") else own


def messages_of(record):
    return (record.get("request") or {}).get("messages", [])


def said(value):
    """The words in a content, whatever it is wrapped in."""
    if isinstance(value, str):
        try:
            inner = json.loads(value) if value[:1] in ("[", "{") else value
        except ValueError:
            inner = value
        return value if isinstance(inner, str) else said(inner)
    if isinstance(value, list):
        return "\n".join(said(v) for v in value)
    if isinstance(value, dict):
        for name in ("text", "content", "output"):
            if isinstance(value.get(name), (str, list)):
                return said(value[name])
    return json.dumps(value, sort_keys=True)


def instant(ts):
    """To the microsecond, wherever it was."""
    day, _, clock = ts.partition("T")
    zone = clock[-6:] if clock[-6] in "+-" else "+00:00"
    clock = clock.removesuffix(zone).rstrip("Z")
    return datetime.fromisoformat(f"{day}T{clock[:15].ljust(15, '0')}{zone}").timestamp()


def known(values):
    return [v for v in values if v is not None]


FOLD = {
    "tool_use": "tool_use", "tool_calls": "tool_use", "function_call": "tool_use",
    "end_turn": "end_turn", "stop": "end_turn", "stop_sequence": "end_turn", "completed": "end_turn",
    "length": "length", "max_tokens": "length",
    "error": "error", "refusal": "error", "content_filter": "error", "failed": "error",
}


def whole_id(seen, r):
    """The id of a call as a file has it that joins runs: one that another run has too gets a number."""
    runs = seen[r["call_id"]]
    if r["run_id"] not in runs:
        runs.append(r["run_id"])
    place = runs.index(r["run_id"]) + 1
    return r["call_id"] if place == 1 else f"{r['call_id']}#{place}"


def facts_of(records):
    """What a log says, fact by fact."""
    f = {fact: [] for fact in FACTS}
    seen = defaultdict(list)

    def tell(**facts):
        for name, value in facts.items():
            f[name.replace("_", " ")].append(value)

    for r in records:
        kind = r["type"]
        if kind == "run_start":
            tell(runs=1, agent=(r.get("agent") or {}).get("name"), offered_tools=r.get("tools") is not None)
        if kind == "model_step":
            usage = [(r.get("usage") or {}).get(k) for k in TOKENS]
            tell(steps=1, step_text=r.get("text") or "", reasoning=r.get("reasoning") or "", model=r.get("model"))
            tell(stop_reason=FOLD.get(r.get("stop_reason")), stop_reason_as_spelled=r.get("stop_reason"))
            tell(tokens_of_a_step=[n or 0 for n in usage], zero_or_absent_tokens=usage, step_time=instant(r["ts"]))
            tell(latency=r.get("latency_ms"), order_of_steps=r.get("text") or "")
        if kind == "tool_call":
            tell(calls=1, call_id=whole_id(seen, r), tool=tool_name(r["tool"]), order_of_calls=tool_name(r["tool"]))
            tell(**{"arguments" if isinstance(r["args"], dict) else "arguments_that_are_no_object": r["args"]})
        if kind == "tool_result":
            tell(results=1, result_call_id=whole_id(seen, r), result=said(r.get("result")))
            tell(result_as_it_was=r.get("result"))
            tell(failed=r.get("is_error") is True, said_not_to_have_failed=r.get("is_error"))
            tell(exit_code=r.get("exit_code"), duration=r.get("duration_ms"), order_of_results=whole_id(seen, r))
        if kind == "cost":
            tell(tokens_of_a_cost=[r.get(k) or 0 for k in COST_TOKENS])
        if kind == "error":
            orphan = r.get("code") in ("no_result", "orphan_result")
            tell(**{"orphans" if orphan else "errors": (r.get("class"), r.get("code"))})
        if kind == "run_end":
            tell(status=r.get("status"))
        for m in messages_of(r):
            tell(messages=1, role=m.get("role"), message=said(m.get("content")), message_as_it_was=m.get("content"))
    for fact in ("latency", "exit code", "duration"):
        f[fact] = known(f[fact])
    for fact in FACTS:
        if not fact.startswith("order"):
            f[fact].sort(key=lambda x: json.dumps(x, sort_keys=True))
    return f


FACTS = (
    "runs", "agent", "offered tools",
    "steps", "order of steps", "step text", "reasoning", "model", "stop reason", "stop reason as spelled", "step time",
    "tokens of a step", "zero or absent tokens", "latency",
    "calls", "order of calls", "call id", "tool", "arguments", "arguments that are no object",
    "results", "order of results", "result call id", "result", "result as it was", "failed", "said not to have failed",
    "exit code", "duration",
    "tokens of a cost", "orphans", "errors", "status", "messages", "role", "message", "message as it was",
)


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 70 else text[:67] + "..."


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"the one of number {i} is {short(y)} and was {short(x)}"
    return f"{len(b)} of {len(a)}"


def trip(suite, where, s, target):
    """(facts that differ: how), or a failure as text."""
    base = os.path.join(where, f"{os.path.basename(s.out)}.{target}")
    status, _, told = suite.call(["convert", s.out, *to_options(target), "-o", base])
    if status != 0:
        return f"to {target}: exit {status} {' '.join(told.split())[:150]}"
    if os.path.getsize(base) == 0:
        return {"runs": "nothing in it that the format has a place for"}
    status, out, told = suite.call(["convert", base, "--to", "otutl"])
    os.unlink(base)
    if status != 0:
        return f"back: exit {status} {' '.join(told.split())[:150]}"
    was, now = s.facts, facts_of(json.loads(line) for line in out.splitlines())
    return {fact: first_difference(was[fact], now[fact]) for fact in FACTS if was[fact] != now[fact]}


def check_format(suite, where, target, samples, cannot):
    failed, lost, counts, unlisted = [], [], defaultdict(int), {}
    for s, found in zip(samples, suite.each(lambda s: trip(suite, where, s, target), samples)):
        if isinstance(found, str):
            failed.append((s.name, found))
            continue
        for fact, how in found.items():
            counts[fact] += 1
            if fact not in cannot:
                lost.append((s.name, f"{fact}: {how}"))
                unlisted.setdefault(fact, (s.name, how))
    suite.check(f"trips: {target} is written and read again", failed, len(samples))
    suite.check(f"trips: {target} gives back what it can hold", lost, len(samples))
    for fact in unlisted:
        name, how = unlisted[fact]
        suite.note(f"{target}: {fact} differs in {counts[fact]} of {len(samples)}: {name}: {how}")
    for fact in FACTS:
        if fact in cannot:
            suite.note(f"{target} does not hold: {fact} ({counts[fact]} of {len(samples)}): {cannot[fact]}")


def documents(text):
    """The JSON values of a text, however they are laid out."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return found
        value, at = decoder.raw_decode(text, at)
        found.append(value)


def path_of_difference(a, b, at=""):
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        return f"{at or '/'}: {short(a)} became {short(b)}"
    if isinstance(a, dict):
        for k in sorted(set(a) | set(b)):
            if k not in a or k not in b:
                return f"{at}/{k} " + ("is new" if k not in a else f"is gone: {short(a[k])}")
            found = path_of_difference(a[k], b[k], f"{at}/{k}")
            if found:
                return found
        return None
    if isinstance(a, list):
        for i, (x, y) in enumerate(zip(a, b)):
            found = path_of_difference(x, y, f"{at}/{i}")
            if found:
                return found
        return f"{at} has {len(b)} elements and not {len(a)}" if len(a) != len(b) else None
    return None if a == b else f"{at}: {short(a)} became {short(b)}"


def own_trip(suite, s, target):
    status, out, told = suite.call(["convert", s.out, *to_options(target)])
    if status != 0:
        return (s.name, f"exit {status} {told[:100]}")
    try:
        with open(s.path, encoding="utf-8-sig") as f:
            source = documents(f.read())
        found = path_of_difference(source, documents(out.decode()))
    except ValueError as e:
        return (s.name, f"no JSON: {e}")
    return (s.name, found) if found else None


def run(suite):
    samples = [s for s in suite.samples() if s.out and s.vendor != "corpora"]
    for s in samples:
        s.facts = facts_of(s.records())
    where = suite.directory("trips")
    cannot = defaultdict(dict)
    for target, fact, why in table("cannot.tsv", 3):
        cannot[target][fact] = why
    for target in FORMATS:
        check_format(suite, where, target, samples, cannot[target])
    reviewed = {name: why for name, why in table("altered.tsv", 2)}
    for vendor, target in OWN.items():
        mine = [s for s in samples if s.vendor == vendor]
        bad = [w for w in suite.each(lambda s: own_trip(suite, s, target), mine) if w]
        unseen = [b for b in bad if b[0] not in reviewed]
        suite.check(f"trips: {target} to otutl and back is the same value", unseen, len(mine))
        for name, what in bad:
            if name in reviewed:
                suite.note(f"reviewed: {name}: {reviewed[name]} ({what})")

"""Set 13: agent-trace/v1 events and traces, in three modes, by name and by detection."""

import copy
import json
import os

from harness import FILE_RULES, codes, jsonl, rows

# Every field that the text lists, by object; the second part may be null or absent.
NODE = ("schema_version event_type trace_id node_id parent_node_ids timestamp_start timestamp_end kind framework", "")
SUMMARY = (
    "schema_version event_type trace_id started_at completed_at total_seconds node_counts total_tokens exit_status"
    " redaction",
    "tool_stall_total_seconds tool_stall_pct error_message framework_version rig_label engine",
)
DETAIL = {
    "model_call": (
        "endpoint model input_tokens output_tokens input_tokens_source output_tokens_source latency_seconds stream",
        "ttft_seconds tpot_seconds tool_choice stop_reason request_id kv_pressure_label",
    ),
    "tool_call": ("name wall_time_seconds is_external is_io_bound", "stall_seconds result_size_bytes result_kind"),
    "branch": ("branch_kind siblings", ""),
}
PARTS = {"total_tokens": ("input output", ""), "redaction": ("prompts_redacted tool_args_redacted", "")}
ADDITIVE = set(
    "ttfb_seconds ttfc_seconds cache_read_tokens cache_write_tokens reasoning_tokens estimated_cost_usd partial"
    " inferred wall_time_source agent_id call_id hash_ids response_id cost_source known_by total_only"
    " refused tool_stall_unknown".split()
)
ENUMS = set(
    "kind framework input_tokens_source output_tokens_source tool_choice stop_reason kv_pressure_label result_kind"
    " branch_kind exit_status rig_label engine".split()
)

MODEL = {
    "schema_version": "agent-trace/v1", "event_type": "node", "trace_id": "01HVTRACE", "node_id": "01HVMODEL",
    "parent_node_ids": [], "timestamp_start": 1730000000.123, "timestamp_end": 1730000001.456, "kind": "model_call",
    "framework": "raw_openai", "model_call": {
        "endpoint": "http://localhost:8000/v1/chat/completions", "model": "deepseek-ai/DeepSeek-V4-Pro",
        "input_tokens": 8192, "output_tokens": 1024, "input_tokens_source": "api", "output_tokens_source": "api",
        "ttft_seconds": 0.42, "tpot_seconds": 0.012, "latency_seconds": 12.345, "tool_choice": "auto", "stream": True,
        "stop_reason": "end_turn", "request_id": "req_123", "kv_pressure_label": "measured"},
}  # fmt: skip
SUMMARY_EVENT = {
    "schema_version": "agent-trace/v1", "event_type": "summary", "trace_id": "01HVTRACE",
    "started_at": "2026-04-30T12:00:00Z", "completed_at": "2026-04-30T12:05:23Z", "total_seconds": 323.0,
    "node_counts": {"model_call": 1}, "total_tokens": {"input": 8192, "output": 1024},
    "tool_stall_total_seconds": 0.0, "tool_stall_pct": 0.0, "exit_status": "success", "error_message": None,
    "framework_version": {"raw_openai": "unknown"}, "rig_label": "auto", "engine": "vllm",
    "redaction": {"prompts_redacted": True, "tool_args_redacted": True},
}  # fmt: skip


def node(number, **changes):
    """A model call with ids that are UUIDs; changes of model_call's members by their names."""
    event = copy.deepcopy(MODEL)
    event["trace_id"] = "01890000-0000-7000-8000-000000000000"
    event["node_id"] = f"01890000-0000-7000-8000-{number + 1:012x}"
    for name, value in changes.items():
        (event["model_call"] if name in event["model_call"] else event)[name] = value
    return event


def summary(**changes):
    event = copy.deepcopy(SUMMARY_EVENT)
    event["trace_id"] = "01890000-0000-7000-8000-000000000000"
    event.update(changes)
    return event


def tool(number, name):
    event = node(number)
    del event["model_call"]
    event.update(kind="tool_call", tool_call={
        "name": name, "wall_time_seconds": 0.083, "stall_seconds": 0.003, "result_size_bytes": 4096,
        "result_kind": "text", "is_external": True, "is_io_bound": True})  # fmt: skip
    return event


# ---- what the page asks of one event ----


def strays(value, listed, where=""):
    """What strict forbids in one object: (unknown members, missing members)."""
    required, optional = (part.split() for part in listed)
    names = set(required) | set(optional)
    unknown = [where + k for k in value if k not in names | ADDITIVE]
    missing = [where + k for k in names if k not in value]
    return unknown, missing


def strict_faults(event):
    """Unknown fields, missing listed ones, and reversed time: what strict adds to the text."""
    is_summary = event.get("event_type") == "summary"
    top = dict(event)
    faults = []
    if is_summary:
        parts = PARTS
    else:
        kind = event.get("kind")
        parts = {kind: DETAIL[kind]} if isinstance(kind, str) and kind in DETAIL else {}
    inner = {name: top.get(name) for name in parts}
    for name in parts if not is_summary else ():
        top.pop(name, None)
    for unknown_or_missing in strays(top, SUMMARY if is_summary else NODE):
        faults += unknown_or_missing
    for name, value in inner.items():
        if isinstance(value, dict):
            for unknown_or_missing in strays(value, parts[name], name + "."):
                faults += unknown_or_missing
    start, end = event.get("timestamp_start"), event.get("timestamp_end")
    if isinstance(start, (int, float)) and isinstance(end, (int, float)) and end < start:
        faults.append("AT050")
    return faults


def lacks_a_part(event):
    """A summary's total_tokens or redaction that is right but for a member that is not there."""
    parts = [(event.get(name), names.split()) for name, (names, _) in PARTS.items()]
    return event.get("event_type") == "summary" and any(isinstance(v, dict) and set(v) < set(n) for v, n in parts)


def page_expect(row):
    """The verdict in default mode: the text's, and the page's where the text is silent; None is not scored."""
    if row["spec_expect"] == "reject" and lacks_a_part(row["event"]):
        return "warn"  # AT054: the text's own examples lack one
    if row["spec_expect"] != "unspecified":
        return row["spec_expect"]
    if row["id"].endswith("-null"):
        return "accept"
    return "warn" if "AT050" in strict_faults(row["event"]) else None


def verdict(entry):
    """accept, warn or reject, by what a lone event can answer for."""
    if codes(entry, "error") - FILE_RULES:
        return "reject"
    return "warn" if codes(entry, "warning") - FILE_RULES - {"AT065"} else "accept"


def told(entry):
    return ", ".join(f"{f['code']} {f['pointer']}" for f in entry["findings"] if f["code"] not in FILE_RULES) or "nothing"


def run(suite):
    where = suite.data("13-agent-trace-v1", "corpora/13-agent-trace-v1/dev")
    if where:
        check_events(suite, rows(os.path.join(where, "events.jsonl")))
        check_traces(suite, rows(os.path.join(where, "traces.jsonl")))
    check_seed(suite)


def compare(cases, results, expected, got=verdict):
    bad = []
    for case, path in cases.items():
        want = expected(case)
        if want and got(results[path]) != want:
            bad.append((os.path.basename(path), f"{got(results[path])}, expected {want}; findings: {told(results[path])}"))
    return bad


def check_events(suite, events):
    place = suite.directory("events")
    row_of = {r["id"]: r for r in events}
    cases = {r["id"]: suite.write(place, r["id"] + ".jsonl", jsonl([r["event"]])) for r in events}
    paths = list(cases.values())

    results = suite.validate(paths, ["--as", "agent-trace"])
    for word in ("accept", "warn", "reject"):
        some = {i: p for i, p in cases.items() if page_expect(row_of[i]) == word}
        bad = compare(some, results, lambda i: page_expect(row_of[i]))
        suite.check(f"set 13 events, default: {word}", bad, len(some))

    found = suite.validate(paths)
    bad = [(os.path.basename(p), f"seen as {found[p]['format']}") for p in paths if found[p]["format"] != "agent-trace"]
    suite.check("set 13 events: every one is detected as agent-trace", bad, len(paths))
    bad = [(os.path.basename(p), "differs") for p in paths if not bad and found[p] != results[p]]
    suite.check("set 13 events: detection changes nothing in the answer", bad, len(paths))
    check_strict(suite, cases, row_of)
    check_permissive(suite, cases, row_of, results)


def strict_expect(row):
    if row["spec_expect"] == "reject" or strict_faults(row["event"]):
        return "reject"
    return "accept" if page_expect(row) else None


def check_strict(suite, cases, row_of):
    results = suite.validate(list(cases.values()), ["--as", "agent-trace", "--strict"])
    for word in ("accept", "reject"):
        some = {i: p for i, p in cases.items() if strict_expect(row_of[i]) == word}
        got = lambda entry: "reject" if verdict(entry) == "reject" else "accept"
        suite.check(f"set 13 events, strict: {word}", compare(some, results, lambda i, w=word: w, got), len(some))


def check_permissive(suite, cases, row_of, default):
    results = suite.validate(list(cases.values()), ["--as", "agent-trace", "--permissive"])
    bad, same, n = [], [], 0
    for i, path in cases.items():
        field, _, what = i.rsplit(".", 1)[-1].rpartition("-")
        field = field.rsplit("-", 1)[-1]
        got, expected = results[path], None
        if field == "schema_version" and what == "bogus":
            expected = "AT010"
        elif field in ENUMS and what in ("bogus", "uppercase"):
            expected = "AT030"
        if expected:
            n += 1
            if codes(got, "error") - FILE_RULES or expected not in codes(got, "warning"):
                bad.append((i, f"expected the warning {expected} and no error; findings: {told(got)}"))
        elif field not in ("schema_version", "event_type") and verdict(got) != verdict(default[path]):
            same.append((i, f"{verdict(got)}, by default {verdict(default[path])}; findings: {told(got)}"))
    suite.check("set 13 events, permissive: unknown versions and words are warnings", bad, n)
    suite.check("set 13 events, permissive: the rest is as by default", same, len(cases) - n)


def trace_verdict(entry):
    """Of a whole trace. AT110 is left out: the set's own traces take it lightly."""
    if codes(entry, "error"):
        return "reject"
    return "warn" if codes(entry, "warning") - {"AT065", "AT110"} else "accept"


def check_traces(suite, traces):
    place = suite.directory("traces")
    cases = {r["id"]: suite.write(place, r["id"] + ".jsonl", jsonl(r["lines"])) for r in traces}
    row_of = {r["id"]: r for r in traces}
    # Where the text is silent the page decides: AT102 and AT100 are errors.
    ruled = lambda r: "reject" if r["spec_expect"] == "unspecified" else r["spec_expect"].split()[0]
    # Strict: no summary and an unknown parent are errors; totals that disagree stay warnings.
    harsh = lambda i: i in ("trace-no-summary", "trace-missing-parent") or ruled(row_of[i]) == "reject"
    for options in (["--as", "agent-trace"], ["--permissive", "--as", "agent-trace"], []):
        some = {i: p for i, p in cases.items() if options or row_of[i]["lines"]}
        results = suite.validate(list(some.values()), options)
        bad = compare(some, results, lambda i: ruled(row_of[i]), trace_verdict)
        suite.check(f"set 13 traces {' '.join(options) or 'by detection'}: every verdict", bad, len(some))
        bad = []
        for i, p in some.items():
            ends = any(e.get("event_type") == "summary" for e in row_of[i]["lines"]) or not row_of[i]["lines"]
            if results[p]["interrupted"] == ends:
                bad.append((i, f"interrupted is {results[p]['interrupted']}"))
        suite.check(f"set 13 traces {' '.join(options) or 'by detection'}: interrupted iff no summary", bad, len(some))
    results = suite.validate(list(cases.values()), ["--as", "agent-trace", "--strict"])
    got = lambda entry: "reject" if codes(entry, "error") else "accept"
    bad = compare(cases, results, lambda i: "reject" if harsh(i) else "accept", got)
    suite.check("set 13 traces, strict: every verdict", bad, len(cases))


def check_seed(suite):
    path = suite.write(suite.directory("seed"), "seed.jsonl", jsonl([MODEL, SUMMARY_EVENT]))
    bad = []
    for options in ([], ["--strict"], ["--permissive"]):
        entry = suite.validate([path], options)[path]
        # Its ids are short names, and its times are of another year: both are only worth a warning.
        if entry["verdict"] != "valid" or entry["format"] != "agent-trace":
            bad.append((" ".join(options) or "default", json.dumps(entry["codes"])))
    suite.check("the two minimal lines of the text are valid in every mode", bad, 3)

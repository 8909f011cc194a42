"""Set 08: timestamps, UUIDs, ULIDs and URIs, each through a field that has its rule."""

import os
import re

from harness import by_line, codes, jsonl, rows
from traces import node, summary


def run(suite):
    where = suite.data("08-ids-time", "corpora/08-ids-time/dev")
    if not where:
        return
    kind = {}
    for name in ("timestamp", "date", "time", "uuid", "ulid", "uri", "uri-reference"):
        kind[name] = rows(os.path.join(where, name + ".jsonl"))
    check_summary_times(suite, kind)
    check_ids(suite, kind["uuid"] + kind["ulid"])
    check_tools(suite, kind)
    check_log_times(suite, kind["timestamp"])


def check_summary_times(suite, kind):
    place = suite.directory("times")
    texts = {r["text"]: r["valid"] for r in kind["timestamp"] if not r.get("contested")}
    # A date alone and a time alone are no timestamp, however well formed.
    texts.update({r["text"]: False for r in kind["date"] + kind["time"] if "T" not in r["text"]})
    contested = [r["text"] for r in kind["timestamp"] if r.get("contested")]
    case = {}
    for i, text in enumerate([*texts, *contested]):
        for field in ("started_at", "completed_at"):
            case[text, field] = suite.write(place, f"{i}-{field}.jsonl", jsonl([node(1), summary(**{field: text})]))
    results = suite.validate(list(case.values()), ["--as", "agent-trace"])
    bad, unclear = [], []
    for (text, field), path in case.items():
        at = {f["pointer"] for f in results[path]["findings"] if f["code"] == "AT043"}
        if text in contested:
            unclear += [(repr(text), f"AT043 at {at}")] if at - {"/" + field} else []
        elif at != (set() if texts[text] else {"/" + field}):
            bad.append((f"{field} {text!r}", f"AT043 at {at or 'nothing'}, but valid is {texts[text]}"))
    suite.check("set 08 timestamps in a summary: AT043 iff not RFC 3339", bad, 2 * len(texts))
    suite.check("set 08 contested timestamps: a clean verdict", unclear, len(contested))
    accepted = [t for t in contested if "AT043" not in codes(results[case[t, "started_at"]])]
    suite.note(f"contested and accepted: {accepted}")


def check_ids(suite, ids):
    place = suite.directory("ids")
    texts = {r["text"]: r["valid"] for r in ids}
    bad, cases = [], {}
    for i, text in enumerate(texts):
        for field in ("node_id", "trace_id"):
            cases[text, field] = suite.write(place, f"{i}-{field}.jsonl", jsonl([node(1, **{field: text})]))
    results = suite.validate(list(cases.values()), ["--as", "agent-trace"])
    for (text, field), path in cases.items():
        got = {f["code"] for f in results[path]["findings"] if f["pointer"] == "/" + field}
        want = set() if texts[text] else {"AT065" if text else "AT022"}
        if got != want:
            bad.append((f"{field} {text!r}", f"{got or 'nothing'}, expected {want or 'nothing'}"))
    suite.check("set 08 UUIDs and ULIDs as ids: AT065 iff neither, AT022 if empty", bad, len(cases))


def log(**changes):
    """A complete OTUTL log of four records; ts or tool may be changed."""
    run_id = "018f0d6e-7c00-7000-8000-000000000001"
    ts = changes.get("ts", "2024-04-24T00:00:00.000Z")
    base = {"ts": ts, "run_id": run_id}
    tool = changes.get("tool", "tool://x/y")
    return [
        {"type": "run_start", "seq": 0, **base},
        {"type": "tool_call", "seq": 1, "call_id": "c", "tool": tool, "args": {}, **base},
        {"type": "tool_result", "seq": 2, "call_id": "c", "result": "", **base},
        {"type": "run_end", "seq": 3, "status": "success", **base},
    ]


def check_tools(suite, kind):
    place = suite.directory("tools")
    texts = {r["text"]: r["valid"] for r in kind["uri"]}
    for r in kind["uri-reference"]:
        texts.setdefault(r["text"], r["valid"] and bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", r["text"])))
    case = {t: suite.write(place, f"{i}.jsonl", jsonl(log(tool=t))) for i, t in enumerate(texts)}
    results = suite.validate(list(case.values()))
    bad = []
    for text, path in case.items():
        at = [f["line"] for f in results[path]["findings"] if f["code"] == "E_TOOL_URI"]
        if at != ([] if texts[text] else [2]) or results[path]["format"] != "otutl":
            bad.append((repr(text), f"E_TOOL_URI at lines {at}, but valid is {texts[text]}"))
    suite.check("set 08 URIs as an OTUTL tool: E_TOOL_URI iff no URI", bad, len(texts))


def check_log_times(suite, times):
    place = suite.directory("log-times")
    case = {r["text"]: suite.write(place, f"{i}.jsonl", jsonl(log(ts=r["text"]))) for i, r in enumerate(times)}
    results = suite.validate(list(case.values()), ["--as", "otutl"])
    bad, n = [], 0
    for r in times:
        lines = {line for line, f in by_line(results[case[r["text"]]]).items() if any(x["code"] == "E_TS" for x in f)}
        # OTUTL asks for three digits of a second or more, so only these rows must pass.
        fine = r["valid"] and re.search(r"\.\d{3,}([Zz]|[+-]\d\d:\d\d)$", r["text"])
        if r.get("contested") or (r["valid"] and not fine):
            continue
        n += 1
        if lines != (set() if fine else {1, 2, 3, 4}):
            bad.append((repr(r["text"]), f"E_TS at lines {sorted(lines)}, but valid is {bool(fine)}"))
    suite.check("set 08 timestamps as an OTUTL ts: E_TS where they are none", bad, n)

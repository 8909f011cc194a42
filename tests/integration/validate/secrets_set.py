"""Set 10: strings that resemble API keys, in every place of a trace where a string may stand.

Two things are held: a key is found where the rules look for keys and nowhere else, and no form of the
answer repeats one, whatever else is wrong with its line.
"""

import base64
import json
import os
import random
import re
import string

from harness import Broken, by_line, jsonl, rows
from traces import node, summary, tool

PIECE = 16  # of a key, in an answer: a leak
TOKEN = re.compile(r"[A-Za-z0-9+/_=.~-]{16,}")


ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
# What must be found beyond the corpus: what stands before the key, its bytes and how many, what follows.
SHAPES = (
    ("gsk_", ALNUM, 52), ("sk-or-v1-", HEX, 64), ("xai-", ALNUM, 80), ("nvapi-", ALNUM, 64), ("sk-", HEX, 32),
    ("sk-", ALNUM, 48), ("sk-proj-", ALNUM, 156), ("sk-svcacct-", ALNUM, 116), ("sk-admin-", ALNUM, 116),
    ("sk-ant-api03-", ALNUM, 93, "AA"), ("sk-ant-oat01-", ALNUM, 93, "AA"), ("sk-ant-admin01-", ALNUM, 93, "AA"),
    ("lsv2_pt_", HEX, 32, "_1a2b3c4d5e"), ("pk-lf-", HEX, 8, "-1a2b-4c3d-8e4f-0a1b2c3d4e5f"),
    ("sk-lf-", HEX, 8, "-1a2b-4c3d-8e4f-0a1b2c3d4e5f"), ("tvly-", ALNUM, 32), ("r8_", ALNUM, 37), ("csk-", ALNUM, 48),
    ("tgp_v1_", ALNUM, 43), ("fw_", ALNUM, 24), ("pcsk_", ALNUM, 70), ("hf_", ALNUM, 34), ("AIza", ALNUM, 35),
    ("ya29.", ALNUM, 100), ("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), ("ASIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    ("aws_secret_access_key=", ALNUM, 40), ("ghp_", ALNUM, 36), ("gho_", ALNUM, 36), ("github_pat_", ALNUM, 82),
    ("glpat-", ALNUM, 20), ("xoxb-123456789012-1234567890123-", ALNUM, 24), ("xoxa-2-123456789012-", ALNUM, 24),
    ("sk_live_", ALNUM, 30), ("npm_", ALNUM, 36), ("pypi-AgEIcHlwaS5vcmc", ALNUM, 120), ("api-key: ", HEX, 32),
    ("Authorization: Bearer ", ALNUM, 40), ("https://h/x?password=", ALNUM, 20), ("Server=db;Password=", ALNUM, 20, ";"),
    ("TOGETHER_API_KEY=", HEX, 64),
)  # fmt: skip


def shapes():
    source = random.Random(13)
    for n, (before, alphabet, count, *after) in enumerate(SHAPES):
        key = "".join(source.choice(alphabet) for _ in range(count))
        text = before + key + "".join(after)
        yield {"id": f"shape {n}", "text": text, "secret": key, "expect": "flag", "rule": before, "rules_matching": []}
    for n, (before, alphabet, count) in enumerate(
        (("sha256:", HEX, 64), ("", HEX, 64), ("toolu_01", ALNUM, 22), ("req_011C", ALNUM, 20), ("chatcmpl-", ALNUM, 29))
    ):
        text = before + "".join(source.choice(alphabet) for _ in range(count))
        yield {"id": f"no key {n}", "text": text, "expect": "no-flag", "rule": before, "rules_matching": []}


def run(suite):
    where = suite.data("10-secrets", "corpora/10-secrets/dev")
    if not where:
        return
    rules = {r["id"]: re.compile(r["regex_python"]) for r in rows(os.path.join(where, "rules_selected.jsonl"))}
    cases = rows(os.path.join(where, "cases.jsonl"))
    for c in cases:
        c["text"] = base64.b64decode(c["text_b64"]).decode("utf-8", "surrogateescape")
        if any("\udc80" <= ch <= "\udcff" for ch in c["text"]):
            raise Broken(f"{c['id']} is not UTF-8")
    cases += shapes()
    check_places(suite, cases)
    flagged = [c for c in cases if c["expect"] == "flag"]
    pieces = pieces_of(flagged, rules)
    suite.note(f"{len(pieces)} pieces of {PIECE} characters of {len(flagged)} keys are looked for in the answers")
    check_answers(suite, flagged, pieces)


# ---- where keys are looked for ----


def escaped(text):
    """The text as a JSON string in which every character is an escape."""
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def lines_with_escapes(texts, make):
    mark = "@@HERE@@"
    return b"".join(jsonl([make(i, mark)]).replace(mark.encode(), escaped(t).encode()) for i, t in enumerate(texts))


def deep(text):
    return {"a": [1, {"b": [text]}]}


PLACES = {
    "request_id": lambda i, t: node(i, request_id=t),
    "model": lambda i, t: node(i, model=t),
    "an unknown field": lambda i, t: node(i, extra=t),
    "an unknown field, deep": lambda i, t: node(i, extra=deep(t)),
    "a tool's name": tool,
    "error_message": lambda i, t: summary(error_message=t),
    "framework_version": lambda i, t: summary(framework_version={"raw_openai": t}),
}


def key_found(findings):
    return any(
        f["code"] in ("AT062", "V003") or (f["code"] == "AT066" and "key" in f["message"]) for f in findings
    )


def judge(suite, title, cases, entry):
    lines = by_line(entry)
    for word, wanted in (("flag", True), ("no-flag", False)):
        some = [(n, c) for n, c in enumerate(cases, 1) if c["expect"] == word]
        bad = []
        for n, c in some:
            if key_found(lines.get(n, [])) != wanted:
                bad.append((f"{c['id']} ({c['rule']})", f"{'not ' if wanted else ''}flagged: {c['text'][:60]!r}"))
        suite.check(f"set 10 {title}: {word}", bad, len(some))
    other = [n for n, c in enumerate(cases, 1) if c["expect"] == "flag-detect-secrets-only"]
    hit = sum(key_found(lines.get(n, [])) for n in other)
    return f"{title} {hit}/{len(other)}"


def check_places(suite, cases):
    place = suite.directory("secrets")
    texts = [c["text"] for c in cases]
    recall = []
    for n, (title, make) in enumerate(PLACES.items()):
        path = suite.write(place, f"{n}.jsonl", jsonl(make(i, t) for i, t in enumerate(texts)))
        recall.append(judge(suite, title, cases, suite.validate([path], ["--as", "agent-trace"])[path]))
    path = suite.write(place, "escaped.jsonl", lines_with_escapes(texts, PLACES["request_id"]))
    judge(suite, "request_id in escapes", cases, suite.validate([path], ["--as", "agent-trace"])[path])
    path = suite.write(place, "any.jsonl", jsonl({"text": t, "n": i} for i, t in enumerate(texts)))
    judge(suite, "--as jsonl --secrets", cases, suite.validate([path], ["--as", "jsonl", "--secrets"])[path])
    entry = suite.validate([path], ["--as", "jsonl"])[path]
    suite.check("set 10 --as jsonl without --secrets: nothing", [(path, str(entry["codes"]))] * bool(entry["findings"]), 1)
    suite.note("found of those that only detect-secrets flags: " + ", ".join(recall))


# ---- what the answers repeat ----


def secret_part(case, rules):
    """The longest token of what the case's rules match; without such a rule, of its whole text."""
    if "secret" in case:
        return case["secret"]
    matches = [m for n in case["rules_matching"] if n in rules for m in rules[n].finditer(case["text"])]
    parts = [m.group(m.lastindex or 0) for m in matches] or [case["text"]]
    return max((t for part in parts for t in TOKEN.findall(part)), key=len, default="")


def pieces_of(flagged, rules):
    pieces = set()
    for c in flagged:
        token = secret_part(c, rules)
        pieces |= {token[i : i + PIECE] for i in range(len(token) - PIECE + 1)}
    # What a rule spells out is in every key of its kind, what the carrier lines hold is ours.
    known = json.dumps([node(1), summary(), tool(1, "x")]) + "".join(r.pattern for r in rules.values())
    return {p for p in pieces if len(set(p)) > 4 and p not in known}


def broken(i, t, **changes):
    """A key, and beside it something to complain about, so that the excerpt shows the neighbourhood."""
    event = node(i, request_id=t)
    event["model_call"].update(changes)
    return event


def parent(i, t):
    return node(i, parent_node_ids=[t])


def pushed(i, t):
    """The key stands at another distance from the fault in each line."""
    event = node(i, request_id=t)
    call = event["model_call"]
    call.pop("kv_pressure_label")
    call["x"] = "y" * (i % 97)
    call["kv_pressure_label"] = "odd"
    return event


LEAKS = {
    **PLACES,
    "a word of a list": lambda i, t: node(i, stop_reason=t),
    "kind": lambda i, t: node(i, kind=t),
    "schema_version": lambda i, t: node(i, schema_version=t),
    "event_type": lambda i, t: node(i, event_type=t),
    "a time": lambda i, t: summary(started_at=t),
    "a number's place": lambda i, t: node(i, input_tokens=t),
    "node_id": lambda i, t: node(1, node_id=t),
    "trace_id": lambda i, t: node(i, trace_id=t),
    "a parent": parent,
    "endpoint": lambda i, t: node(i, endpoint=t),
    "the query of an endpoint": lambda i, t: node(i, endpoint=f"https://host/v1?key={t}"),
    "the user of an endpoint": lambda i, t: node(i, endpoint=f"https://{t}@host/v1"),
    "a name": lambda i, t: node(i, **{t: 1}),
    "a name above a fault": lambda i, t: node(i, extra={t: {"prompt": "x"}}),
    "a kind of node_counts": lambda i, t: summary(node_counts={t: -1}),
    "beside a negative count": lambda i, t: broken(i, t, output_tokens=-1),
    "beside an unknown word": lambda i, t: broken(i, t, kv_pressure_label="odd"),
    "at many distances from a fault": pushed,
}
FORMS = ("text", "json", "sarif", "github", "junit")


def leaked(output, pieces):
    found = set()
    for token in set(TOKEN.findall(output.decode("utf-8", "replace"))):
        found |= {token[i : i + PIECE] for i in range(len(token) - PIECE + 1)} & pieces
    return found


def culprits(flagged, found):
    rules = sorted({c["rule"] for c in flagged if any(p in c["text"] for p in found)})
    return f"{len(found)} pieces of keys of {len(rules)} rules: {', '.join(rules[:4])}; as {min(found)}"


def check_answers(suite, flagged, pieces):
    place = suite.directory("leaks")
    # Twice: as the lines are, and cut off in the middle of a key, which is no JSON any more.
    for n, (title, make) in enumerate(LEAKS.items()):
        lines = jsonl(make(i, c["text"]) for i, c in enumerate(flagged))
        torn = b"".join(cut(line, c["text"]) for line, c in zip(lines.splitlines(True), flagged))
        whole = suite.write(place, f"{n}.jsonl", lines)
        half = suite.write(place, f"{n}-torn.jsonl", torn)
        bad, total = [], 0
        for path, mode in ((whole, []), (whole, ["--strict"]), (half, [])):
            for form in FORMS:
                total += 1
                options = ["--as", "agent-trace", "--all", "--report", form, *mode]
                status, out, err, _ = suite.run(["validate", *options, path])
                name = " ".join(["--report", form, *mode] + ["(lines cut in the key)"] * (path == half))
                if status not in (0, 1):
                    bad.append((name, f"exit {status}"))
                found = leaked(out + err, pieces)
                if found:
                    bad.append((name, culprits(flagged, found)))
        suite.check(f"set 10: no answer repeats a key that stands as {title}", bad, total)
    check_plain(suite, flagged, pieces, place)


def cut(line, text):
    """The line without its end: it stops after three quarters of the key."""
    needle = json.dumps(text, ensure_ascii=False)[1:-1].encode()
    at = line.find(needle)
    return line if at < 0 else line[: at + len(needle) * 3 // 4] + b"\n"


def check_plain(suite, flagged, pieces, place):
    path = suite.write(place, "plain.jsonl", jsonl({"a": 1, c["text"]: c["text"]} for c in flagged))
    twice = b"".join(line[:-2] + b',"a":2}\n' for line in jsonl({"a": c["text"]} for c in flagged).splitlines(True))
    double = suite.write(place, "double.jsonl", twice)
    bad = []
    for file in (path, double):
        for form in FORMS:
            for options in (["--as", "jsonl", "--secrets"], ["--as", "otutl", "--secrets"], ["--as", "conversation"],
                            ["--as", "trajectory"], ["--as", "results"], ["--as", "trial"]):  # fmt: skip
                status, out, err, _ = suite.run(["validate", *options, "--all", "--report", form, file])
                found = leaked(out + err, pieces)
                if status not in (0, 1) or found:
                    bad.append((f"{' '.join(options)} --report {form}", f"exit {status}, {culprits(flagged, found)}"))
    suite.check("set 10: no answer of the other formats repeats a key", bad, 2 * 5 * 6)

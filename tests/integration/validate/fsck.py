"""
Logs that agents left (Claude Code, Codex) and ATIF documents. Each real log is also judged here, by a reader of its own
that knows only what makes one incomplete; then real logs are damaged, and each damage must be told at its line.
"""

import json
import os

from harness import files_under

SAMPLES = ("agents", "fresh", "vendors", "corpora/12-trajectories")
DAMAGED_LOGS = 6  # of each format


def run(suite):
    logs = {"claude-code": [], "codex": [], "atif": []}
    for sample in SAMPLES:
        where = suite.data(f"fsck {sample}", sample)
        paths = [p for p in files_under(where) if p.endswith((".json", ".jsonl"))] if where else []
        entries = suite.validate(paths) if paths else {}
        for path, entry in entries.items():
            if entry["format"] in logs:
                logs[entry["format"]].append((path, entry))
        tally(suite, sample, entries)
    if not any(logs.values()):
        return
    judge(suite, "claude-code: a log is invalid just when a line or a call is lost", logs["claude-code"], claude_is_lost)
    judge(suite, "codex: a log is invalid just when a line or a call is lost", logs["codex"], codex_is_lost)
    recorded = [x for x in logs["claude-code"] + logs["codex"] if f"{os.sep}agents{os.sep}" in x[0]]
    bad = [(p, e["codes"]) for p, e in recorded if e["errors"] or e["warnings"]]
    suite.check("logs of agents that were led here: neither errors nor warnings", bad, len(recorded))
    damage(suite, "claude-code", logs["claude-code"], CLAUDE_DAMAGES)
    damage(suite, "codex", logs["codex"], CODEX_DAMAGES)
    compare_models(suite, logs["atif"])


def tally(suite, sample, entries):
    for name in ("claude-code", "codex", "atif"):
        some = [e for e in entries.values() if e["format"] == name]
        if some:
            bad = sum(e["verdict"] == "invalid" for e in some)
            warned = sum(e["verdict"] == "valid" and e["warnings"] > 0 for e in some)
            suite.note(f"{sample}: {len(some)} {name}, {len(some) - bad} valid ({warned} with warnings), {bad} invalid")


def read(path):
    """[(line number, value or None)], and whether a line that is not the last could not be read as one value."""
    with open(path, "rb") as f:
        text = f.read()
    rows, broken = [], False
    lines = text.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append((number, json.loads(line)))
        except ValueError:
            broken = broken or number < len(lines)
    return rows, broken


def judge(suite, title, logs, is_lost):
    bad = []
    logs = [x for x in logs if not x[0].endswith(".json")]  # those are one document
    for path, entry in logs:
        rows, broken = read(path)
        lost = broken or is_lost(rows)
        if lost != (entry["verdict"] == "invalid"):
            bad.append((path, f"{entry['verdict']} {entry['codes']}, but here {'lost' if lost else 'whole'}"))
    suite.check(title, bad, len(logs))


def blocks(line):
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def claude_is_lost(rows):
    if any(not isinstance(line, (dict, list)) for _, line in rows):
        return True
    lines = [line for _, line in rows if isinstance(line, dict)]
    if any("session_id" in line for line in lines):
        lines = [x for x in lines if "session_id" in x]
    uuids = {line["uuid"] for line in lines if line.get("uuid") and "sessionId" in line}
    chained = [line for line in lines if line.get("uuid") and "sessionId" in line]
    inside = bool(chained) and chained[0].get("parentUuid") is not None
    dangling = [line for line in chained[1:] if line.get("parentUuid") and line["parentUuid"] not in uuids]
    calls = {b.get("id") for line in lines for b in blocks(line) if b.get("type") == "tool_use"}
    orphans = [
        b
        for line in lines
        if line.get("type") == "user"
        for b in blocks(line)
        if b.get("type") == "tool_result" and b.get("tool_use_id") not in calls
    ]
    return bool(dangling) or (bool(orphans) and not inside)


def codex_is_lost(rows):
    lines = [line for _, line in rows]
    if any(not isinstance(line, dict) for line in lines):
        return True
    if any(str(line.get("type")).startswith(("thread.", "item.")) or "log_type" in line for line in lines):
        return False
    first = lines[0]
    if first.get("type") != "session_meta" and not ("type" not in first and "id" in first and "timestamp" in first):
        return True
    ordinals = [line["ordinal"] for line in lines if "ordinal" in line]
    if ordinals and ordinals != list(range(ordinals[0], ordinals[0] + len(ordinals))):
        return True
    items = [line.get("payload", line) for line in lines]
    items = [i for i in items if isinstance(i, dict)]
    calls = {i.get("call_id") for i in items if str(i.get("type")).endswith("_call")}
    outputs = [i["call_id"] for i in items if i.get("type") in ("function_call_output", "custom_tool_call_output")]
    return any(o not in calls for o in outputs)


# ---- damage ----

CLAUDE_DAMAGES = {"delete": ("CC009", 0), "double": ("CC008", 1), "swap": ("CC010", 1), "glue": ("CC003", 0), "cut": ("CC002", 0)}
CODEX_DAMAGES = {"delete": ("CX010", 0), "double": ("CX011", 1), "swap": ("CX012", 1), "glue": ("CX003", 0), "cut": ("CX002", 0)}


def edit(lines, how, at):
    """The lines with the one at index `at` damaged."""
    before, one, after = lines[:at], lines[at], lines[at + 1 :]
    if how == "delete":
        return before + after
    if how == "double":
        return before + [one, one] + after
    if how == "swap":
        return before + [after[0], one] + after[1:]
    if how == "glue":
        return before + [one + after[0]] + after[1:]
    return before + [one[: len(one) // 2]] + after


def places(path, name):
    """Indices of lines that the next line follows, so that every damage to them shows; and all lines."""
    rows, broken = read(path)
    with open(path, "rb") as f:
        lines = [line for line in f.read().split(b"\n") if line.strip()]
    if broken or len(rows) != len(lines) or len(lines) < 8:
        return [], lines
    found = []
    for at in range(2, len(rows) - 2):
        one, following = rows[at][1], rows[at + 1][1]
        if name == "codex":
            follows = "ordinal" in one
        else:
            follows = bool(one.get("parentUuid")) and following.get("parentUuid") == one["uuid"]
        if follows:
            found.append(at)
    return found[:: max(1, len(found) // 5)][:5], lines


def damage(suite, name, logs, damages):
    where = suite.directory("damaged")
    expected = {}
    used = 0
    for path, entry in logs:
        if entry["verdict"] != "valid" or entry["warnings"] or used == DAMAGED_LOGS:
            continue
        found, lines = places(path, name)
        used += bool(found)
        for at in found:
            for how, (code, behind) in damages.items():
                made = f"{used}-{at}-{how}.jsonl"
                text = b"\n".join(edit(lines, how, at)) + b"\n"
                expected[suite.write(where, made, text)] = (code, at + 1 + behind)
    if not expected:
        suite.skip(f"{name}: damage is told", "no log is fit to be damaged")
        return
    results = suite.validate(list(expected), ["--as", name])
    bad = []
    for path, (code, line) in expected.items():
        told = [(f["code"], f["line"]) for f in results[path]["findings"]]
        if (code, line) not in told:
            bad.append((os.path.basename(path), f"expected {code} at line {line}, found {told[:6]}"))
    suite.check(f"{name}: every damage to {used} real logs is told at its line", bad, len(expected))


# ---- ATIF ----


def compare_models(suite, logs):
    try:
        from harbor.models.trajectories import Trajectory
    except ImportError:
        suite.skip("atif: Harbor's own models agree", "the package harbor is not installed for this Python")
        return
    bad = []
    for path, entry in logs:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        try:
            Trajectory.model_validate(document)
            refused = False
        except ValueError:
            refused = True
        if refused != (entry["verdict"] == "invalid"):
            bad.append((path, f"{entry['verdict']} {entry['codes']}, and Harbor {'refuses' if refused else 'takes'} it"))
    suite.check("atif: Harbor's own models agree", bad, len(logs))

"""behavior_hash over all samples: worked out again from the page's words, the same for another recording of the same
run, another one for every change of what was done."""

import copy
import hashlib
import json
import os
import random

DROPPED = set(
    "ts run_id seq ext chunks duration_ms latency_ms usage cost ttft_ms totals source vendor_run_id step_id "
    "request_id response_id endpoint started_at".split()
)
INNER = {"ts", "id", "created", "created_at", "request_id", "response_id", "system_fingerprint", "file_sha256", "ext"}
CALL_IDS = {"call_id", "tool_call_id", "tool_use_id", "parent_call_id"}
TEXTS = set("content text role type name model arguments input output result thinking reasoning".split())
STEPS = {  # doc/formats/otutl.md, section 5: what leads from one level to the next
    "top": {
        "messages": "message", "input": "message", "contents": "message", "output": "message", "message": "message",
        "choices": "choice", "candidates": "choice", "content": "block", "system": "block", "tool_calls": "block",
    },
    "choice": {"message": "message", "content": "message"},
    "message": {"content": "block", "parts": "block", "tool_calls": "block"},
    "block": {"functionCall": "part", "functionResponse": "part"},
    "part": {},
}  # fmt: skip
OBJECTS = {("top", "message"), ("choice", "message"), ("choice", "content")} | {
    ("block", name) for name in STEPS["block"]
}
CHANGES = 12  # of each kind, for a sample


def canonical(value):
    """RFC 8785; the numbers come as text (see load), so that they are written as they were."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda n: n.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Number(str):
    """A number as it stands in a canonical log."""


def load(line):
    return json.loads(line, parse_int=Number, parse_float=Number)


class Hash:
    def __init__(self, records):
        self.records = records
        self.calls = set()
        self.names, self.strangers = {}, {}
        self.sha = hashlib.sha256(b"bh/v1\n")

    def name(self, call, stranger=False):
        if call in self.strangers:
            return self.strangers[call]
        if stranger and call not in self.calls and call not in self.names:
            return self.strangers.setdefault(call, f"x{len(self.strangers)}")
        return self.names.setdefault(call, f"c{len(self.names)}")

    def content(self, value, level):
        out = {}
        for name in sorted(value, key=lambda n: n.encode("utf-16-be", "surrogatepass")):
            v = value[name]
            next_level = STEPS[level].get(name)
            if name in INNER:
                continue
            if name == "content" and value.get("role") == "tool":
                next_level = None
            if next_level and isinstance(v, dict if (level, name) in OBJECTS else list):
                each = [self.content(x, next_level) if isinstance(x, dict) else x for x in ([v] if isinstance(v, dict) else v)]
                out[name] = each[0] if isinstance(v, dict) else each
            elif type(v) is str and name in CALL_IDS:
                out[name] = self.name(v, True)
            elif type(v) is str and name not in TEXTS and (v in self.calls or v in self.names or v in self.strangers):
                out[name] = self.name(v)
            else:
                out[name] = v
        return out

    def project(self, r):
        out = {}
        for name in sorted(set(r) - DROPPED, key=lambda n: n.encode("utf-16-be", "surrogatepass")):
            v = r[name]
            if name in ("call_id", "parent_call_id") and type(v) is str:
                v = self.name(v)
            elif name == "call_ids" and isinstance(v, list):
                v = [self.name(x) if type(x) is str else x for x in v]
            elif name in ("request", "response") and isinstance(v, dict):
                v = self.content(v, "top")
            out[name] = v
        self.sha.update(canonical(out).encode())

    def group(self, head, rest):
        calls = [r for r in rest if r["type"] == "tool_call"]
        self.calls |= {r["call_id"] for r in calls}
        if head:
            self.project(head)
        for r in sorted(calls, key=lambda r: canonical({"args": r["args"], "tool": r["tool"]}).encode()):
            self.project(r)
        answers = [r for r in rest if r["type"] in ("tool_result", "error") and r.get("call_id") in self.calls]
        for r in sorted(answers, key=lambda r: int(self.name(r["call_id"])[1:])):
            self.project(r)
        for r in rest:
            if r["type"] != "tool_call" and not any(r is a for a in answers):
                self.project(r)

    def digest(self):
        head, rest = None, []
        for r in self.records:
            if r["type"] in ("run_start", "model_step", "run_end"):
                self.group(head, rest)
                head, rest = r, []
            elif r["type"] != "cost":
                rest.append(r)
        self.group(head, rest)
        return self.sha.hexdigest()


def runs_of(path):
    with open(path, encoding="utf-8") as f:
        runs = []
        for line in f:
            r = load(line)
            if r["type"] == "run_start" or not runs:
                runs.append([])
            runs[-1].append(r)
    return runs


# ---- another recording of the same run ----


def rename(value, ids):
    """Every member that is an id of a call of the run, wherever the hash looks for one."""
    if isinstance(value, list):
        return [rename(v, ids) for v in value]
    if not isinstance(value, dict):
        return value
    return {n: ids.get(v, v) if n in CALL_IDS and type(v) is str else v if n in TEXTS - {"content"} else rename(v, ids)
            for n, v in value.items()}  # fmt: skip


def again(records):
    """The same acts with other ids and times, other usage, no costs and another ext."""
    calls = [r["call_id"] for r in records if r["type"] == "tool_call"]
    ids = {c: f"again_{i}_{len(calls) - i}" for i, c in enumerate(calls)}
    out = []
    for r in records:
        if r["type"] == "cost":
            continue
        r = copy.deepcopy(r)
        for name in ("call_id", "parent_call_id"):
            if type(r.get(name)) is str:
                r[name] = ids.get(r[name], r[name])
        if isinstance(r.get("call_ids"), list):
            r["call_ids"] = [ids.get(c, c) for c in r["call_ids"]]
        for name in ("request", "response"):
            if isinstance(r.get(name), dict):
                r[name] = rename(r[name], ids)
                for m in r[name].get("messages", []):
                    m["ts"] = "2031-01-01T00:00:00.000Z"
        r.update(run_id="01b2c3d4-0000-7000-8000-000000000001", ts="2030-02-03T04:05:06.789Z", seq=Number(len(out)),
                 ext={"again/1": {"n": Number(len(out))}}, step_id=f"s{len(out)}", endpoint="http://127.0.0.1:1/v1",
                 request_id=f"r{len(out)}", usage={"input_tokens": Number(7)}, latency_ms=Number(3))  # fmt: skip
        out.append(r)
    return out


# ---- another act ----


def leaves(value, path=()):
    """Paths of the strings and numbers of a value."""
    if isinstance(value, dict):
        for n in value:
            yield from leaves(value[n], path + (n,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from leaves(v, path + (i,))
    elif type(value) in (str, Number):
        yield path


def is_act(path):
    """Whether a leaf of a record is something that was done, said or answered."""
    if path[0] in ("args", "result", "text", "tool", "exit_code", "status", "message", "reasoning", "output", "model"):
        return True
    if path[0] != "request" or "ext" in path:
        return False
    # not inside a block's own members, where ids may stand
    return path[-1] in ("content", "text", "role") or "input" in path or "arguments" in path


def change(record, path):
    record = copy.deepcopy(record)
    at = record
    for step in path[:-1]:
        at = at[step]
    v = at[path[-1]]
    if path[0] == "tool":
        at[path[-1]] = v + "x"
    elif isinstance(v, Number):
        at[path[-1]] = Number("17") if v != "17" else Number("18")
    else:
        words = v.split(" ")
        words[len(words) // 2] += "x"
        at[path[-1]] = " ".join(words)
    return record


def flips(records):
    """Whole members that tell another story."""
    for i, r in enumerate(records):
        if r["type"] == "tool_result":
            yield i, {"is_error": not r.get("is_error", False)}
            yield i, {"exit_code": Number(3) if r.get("exit_code") != "3" else Number(4)}
        if r["type"] == "run_end":
            yield i, {"status": "error" if r["status"] != "error" else "success"}


def others(records, seed):
    """(what, records) for changes of one thing each."""
    chance = random.Random(seed)
    spots = [(i, p) for i, r in enumerate(records) if r["type"] != "cost" for p in leaves(r) if is_act(p)]
    for i, path in chance.sample(spots, min(CHANGES, len(spots))):
        yield f"record {i} {'/'.join(map(str, path))}", records[:i] + [change(records[i], path)] + records[i + 1 :]
    kinds = list(flips(records))
    for i, new in chance.sample(kinds, min(CHANGES, len(kinds))):
        yield f"record {i} {new}", records[:i] + [{**records[i], **new}] + records[i + 1 :]


def write(path, records):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(canonical(r) + "\n" for r in records)


def hashes(suite, paths):
    """behavior_hash of each file (of one run), or a sentence."""
    found = {}
    for i in range(0, len(paths), 200):
        _, out, said = suite.call(["hash", "--json", *paths[i : i + 200]])
        for file in json.loads(out or b'{"files":[]}')["files"]:
            found[file["path"]] = file.get("behavior_hash") or f"none: {file.get('findings') or said[:200]}"
    return [found.get(p, "not told") for p in paths]


def check_sample(suite, where, s):
    """(wrong hashes, wrongly other, wrongly the same, how many changes) of one sample."""
    wrong, other, same, count = [], [], [], 0
    for n, records in enumerate(runs_of(s.out)[:3]):
        place = os.path.join(where, f"{os.path.basename(s.out)}.{n}")
        cases = [("itself", records), ("again", again(records)), *others(records, s.name)]
        paths = [f"{place}.{i}.jsonl" for i in range(len(cases))]
        for path, (_, changed) in zip(paths, cases):
            write(path, changed)
        got = hashes(suite, paths)
        if got[0] != Hash(records).digest():
            wrong.append((s.name, f"run {n}: {got[0]}"))
        if got[1] != got[0]:
            other.append((s.name, f"run {n}: {got[1]} is not {got[0]}"))
        same += [(s.name, f"run {n}, {what}: {h}") for (what, _), h in zip(cases[2:], got[2:])
                 if h == got[0] or len(h) != 64]  # fmt: skip
        count += len(cases) - 2
        for path in paths:
            os.unlink(path)
    return wrong, other, same, count


def run(suite):
    where = suite.directory("behavior")
    done = [s for s in suite.samples() if s.out and os.path.getsize(s.out) < 1 << 20]
    found = suite.each(lambda s: check_sample(suite, where, s), done)
    suite.check("behavior: as worked out again from the page", [w for f in found for w in f[0]], len(done))
    suite.check("behavior: another recording of the same acts has the same hash", [w for f in found for w in f[1]], len(done))
    suite.check("behavior: one changed word, argument, tool, result, exit code or status gives another hash",
                [w for f in found for w in f[2]], sum(f[3] for f in found))  # fmt: skip

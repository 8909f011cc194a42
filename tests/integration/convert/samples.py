"""Every sample becomes a valid log and a valid trace without content, or is refused with a sentence."""

import json
import os
from urllib.parse import unquote

import harness
from converting import HERE, table

WINDOW = 20  # characters: what is longer and occurs in the content is content
# What a trace says in words of its own.
OWN = {"schema_version", "trace_id", "node_id", "parent_node_ids", "siblings", "started_at", "completed_at"}
# What it may say as the log has it: names of models and tools, addresses, ids. Nothing else may stand there.
NAMED = {
    "model": ("model",), "endpoint": ("endpoint",), "name": ("tool",), "call_id": ("call_id", "request_id"),
    "response_id": ("response_id",),
}


def first_sentence(text):
    return " ".join(text.split())[:160]


def check_refusals(suite, samples):
    listed = {name: reason for name, reason in table("refused.tsv", 2)}
    bad, silent = [], []
    for s in samples:
        if s.status not in (0, 3):
            bad.append((s.name, f"exit {s.status}: {first_sentence(s.said)}"))
        elif s.out is None and s.name not in listed:
            bad.append((s.name, f"refused and not in refused.tsv: {first_sentence(s.said)}"))
        elif s.out is not None and s.name in listed:
            bad.append((s.name, "in refused.tsv and not refused"))
        if s.out is None and len(s.said.strip()) < 20:
            silent.append((s.name, repr(s.said)))
    bad += [(name, "in refused.tsv and not there") for name in set(listed) - {s.name for s in samples}]
    suite.check("samples: what is refused is what was reviewed", bad, len(samples))
    suite.check("samples: a refusal says why", silent, len(listed))


def check_strangers(suite):
    """What is in none of our formats is refused: to take it for one of them is worse than to say no."""
    listed = {name for name, _ in table("strangers.tsv", 2)}
    files = suite.stranger_files()
    found = suite.each(lambda f: suite.call(["convert", f[0], "--to", "otutl"]), files)
    bad = []
    for (_, name), (status, _, said) in zip(files, found):
        if status not in (0, 3) or (status == 3 and len(said.strip()) < 20):
            bad.append((name, f"exit {status}: {first_sentence(said)}"))
        elif (status == 0) != (name in listed):
            bad.append((name, "is read and not in strangers.tsv" if status == 0 else "in strangers.tsv and refused"))
    suite.check("samples: formats that are not read are refused", bad, len(files))


def check_valid(suite, title, paths, options):
    """paths: name by path."""
    bad, batch = [], list(paths)
    for i in range(0, len(batch), 100):
        for path, entry in suite.validate(batch[i : i + 100], options).items():
            wrong = [f for f in entry["findings"] if f["severity"] == "error"]
            if entry["verdict"] == "invalid" or wrong:
                first = wrong[0] if wrong else {"line": 0, "code": entry["verdict"], "message": ""}
                bad.append((paths[path], f"line {first['line']}: {first['code']} {first['message']}"))
    suite.check(title, bad, len(batch))


def strings_of(value, name=""):
    """(name of the member, text) of every string inside."""
    stack = [(name, value)]
    while stack:
        name, v = stack.pop()
        if isinstance(v, str):
            yield name, v
        elif isinstance(v, list):
            stack += [(name, x) for x in v]
        elif isinstance(v, dict):
            stack += list(v.items())


def content_of(records):
    """Everything that somebody wrote, that a tool gave, and what the log says beyond the model, in one text."""
    texts = []
    for r in records:
        messages = (r.get("request") or {}).get("messages", [])
        parts = [r.get(k) for k in ("text", "reasoning", "args", "result", "output", "message")]
        parts += [m.get("content") for m in messages]
        texts += [text for p in parts for _, text in strings_of(p)]
        beyond = [text for x in (r, *messages) for _, text in strings_of(x.get("ext"))]
        texts += [text for text in beyond if any(c in " \n/\\" for c in text)]  # the others are ids and versions
    return "\n".join(texts)


def names_of(records):
    """What may be named in a trace, by the member of the trace."""
    found = {name: set() for name in NAMED}
    for r in records:
        for name, members in NAMED.items():
            for value in (r.get(m) for m in members):
                if isinstance(value, str):
                    found[name] |= {value, unquote(value.rpartition("/")[2]), unquote(value.partition("://")[2])}
    return found


def is_named(names, name, text):
    known = names.get(name, ())
    if name == "name":  # an MCP tool has its server before it
        return any(part in known for part in (text, text.rpartition(".")[2], text.rpartition("/")[2]))
    return text in known or name == "endpoint" and " " not in text


def find_content(s):
    with open(s.trace, encoding="utf-8") as f:
        said = {(name, text) for line in f for name, text in strings_of(json.loads(line))}
    longer = [(name, text) for name, text in said if len(text) >= WINDOW and name not in OWN]
    if not longer:
        return None
    records = s.records()
    names, content = names_of(records), content_of(records)
    for name, text in longer:
        for i in range(0 if is_named(names, name, text) else len(text) - WINDOW + 1):
            if text[i : i + WINDOW] in content:
                return (s.name, f"{name} has {text[i : i + WINDOW]!r}")
    return None


def own_samples(suite):
    """What tests/data has, as far as it becomes a trace."""
    base = os.path.normpath(os.path.join(HERE, "..", "..", "data"))
    where = suite.directory("own")
    files = [(n, path) for n, path in enumerate(harness.files_under(base))]
    loaded = suite.each(lambda f: suite.load(where, f[0], "own", f[1], os.path.relpath(f[1], base)), files)
    return [s for s in loaded if s.out and s.trace]


def run(suite):
    samples = suite.samples()
    check_refusals(suite, samples)
    check_strangers(suite)
    done = [s for s in samples if s.out]
    check_valid(suite, "samples: the log is valid", {s.out: s.name for s in done}, ["--as", "otutl"])
    traced = [s for s in done if s.trace]
    missing = [(s.name, first_sentence(s.trace_said)) for s in done if not s.trace]
    suite.check("samples: what becomes a log becomes a trace", missing, len(done))
    strictly = ["--as", "agent-trace", "--strict"]
    check_valid(suite, "samples: the trace is valid, strictly", {s.trace: s.name for s in traced}, strictly)
    traced += own_samples(suite)
    found = [hit for hit in suite.each(find_content, traced) if hit]
    suite.check("samples: a trace holds no content", found, len(traced))

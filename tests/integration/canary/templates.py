"""Logs to plant into: JSON, JSON lines, server-sent events with JSON in them, or text."""

import json
import os
import re

SMALL = 200_000
PER_VENDOR = 3

# Names of members whose value is structure in some format: a word there need not be content.
STRUCTURE = re.compile(
    r"^(type|subtype|kind|role|source|v|version|format|schema.*|object|event|method|jsonrpc|status.*|state|level|lane|enc|end|phase|"
    r"model.*|.*Model|name|tool|tool_?[nN]ame|tool_kind|.*[sS]erverName|.*_model|.*base_?[uU]rl|providerIdentifier|branch|"
    r".*[eE]ndpoint|action|.*toolCall\.name|function|"
    r"framework|provider|.*system|vendor|agent.*|service.*|operation.*|.*[rR]easons?|"
    r"exit_status|class|code|category|id|ids|.*[_.]ids?|.*I[dD]s?|.*[uU][uU][iI][dD]|session|"
    r"slug|run|trace|span|parent.*|key|started|ended|created.*|updated.*|completed.*|date|"
    r".*time.*|.*Time.*|ts|.*_at|.*At|.*stamp|.*Nano|signature|thought_?[sS]ignature|encrypted_content|data|url|target|path|endpoint|host|"
    r".*sha256|.*hash|.*digest|media_?[tT]ype|mime_?[tT]ype|encoding|effort|detail|.*tier|speed|scope|unit|currency|entrypoint|.*Mode|mode|"
    r"userType|tool_?choice|recipient|required|ttl|intValue|doubleValue|.*version|headers?|retry-after|content-type|.*-id|accept|user-agent|"
    r"recorder|profile|language|user|calls|channel|call|server|.*_name|.*Reason|done_reason|server_label|call_type|system_fingerprint|"
    r"obfuscation|verbosity|.*_geo|.*_type|.*_kind|.*_source|.*_label|dotted_order|namespace|hook_event_name|"
    r".*Type|openai-.*|inspect_ai|server|.*Version|.*-Version|.*\.model)$")


class Template:
    def __init__(self, title, kind, records):
        self.title, self.kind, self.records = title, kind, records

    def copy(self):
        return Template(self.title, self.kind, json.loads(json.dumps(self.records)))

    def dump(self):
        if self.kind == "text":
            return "\n".join(self.records).encode() + b"\n"
        if self.kind == "document":
            return json.dumps(self.records[0]).encode()
        if self.kind == "lines":
            return b"".join(json.dumps(r).encode() + b"\n" for r in self.records)
        return b"".join((r if isinstance(r, str) else "data: " + json.dumps(r[0])).encode() + b"\n" for r in self.records)

    def leaves(self):
        """(container, key, name of the member, whether something above it is a call's arguments or its result)."""
        found = []

        def walk(value, name, owner, key):
            if isinstance(value, str):
                found.append((owner, key, name))
            elif isinstance(value, dict):
                attribute = value.get("key") if set(value) - {"type"} == {"key", "value"} else None
                for k in value:
                    walk(value[k], attribute.split(".")[-1] if attribute and k == "value" else name if k in BOXES else k, value, k)
            elif isinstance(value, list):
                for i, v in enumerate(value):
                    walk(v, name, value, i)

        for i, r in enumerate(self.records):
            if not (self.kind == "events" and isinstance(r, str)):
                walk(r, "", self.records, i)
        return found


BOXES = ("stringValue", "arrayValue", "values")


def read(title, raw):
    """The template in these bytes, or None for bytes that are no text or no whole JSON."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    try:
        return Template(title, "document", [json.loads(text)])
    except ValueError:
        pass
    lines = text.splitlines()
    try:
        return Template(title, "lines", [json.loads(line) for line in lines if line.strip()])
    except ValueError:
        pass
    if any(line.startswith("data:") for line in lines):
        return Template(title, "events", [event(line) for line in lines])
    if lines and lines[0].lstrip()[:1] in ("{", "["):
        return None  # damaged JSON
    return Template(title, "text", lines)


def event(line):
    if line.startswith("data:"):
        try:
            return [json.loads(line[5:])]
        except ValueError:
            pass
    return line


def seeds():
    """The seeds of every target that reads a format. Most have a byte of options in front."""
    base = "tests/fuzz/corpus"
    for where in sorted(d for d in os.listdir(base) if d.startswith("read_")):
        for name in sorted(os.listdir(os.path.join(base, where))):
            with open(os.path.join(base, where, name), "rb") as f:
                raw = f.read()
            whole = read(f"{where}/{name}", raw) if raw[:1] in b"{[" else None
            t = whole or read(f"{where}/{name}", raw[1:])
            if t:
                yield where[5:], t


def vendors(shared):
    base = os.path.join(shared, "data", "vendors")
    for vendor in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        taken = 0
        for where, _, names in sorted(os.walk(os.path.join(base, vendor, "dev"))):
            for name in sorted(names):
                path = os.path.join(where, name)
                if taken == PER_VENDOR or os.path.getsize(path) > SMALL or not name.endswith((".json", ".jsonl", ".sse", ".traj", ".md")):
                    continue
                with open(path, "rb") as f:
                    t = read(f"{vendor}/{name}", f.read())
                if t and t.kind != "text":
                    taken += 1
                    yield vendor, t

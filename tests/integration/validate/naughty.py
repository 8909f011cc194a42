"""Set 11: hostile strings as values, names, file names and arguments.

The program may complain where a string deserves it, but must never break, nor hand a terminal or a reader
of its JSON anything raw.
"""

import json
import os
import re
import xml.etree.ElementTree
from collections import Counter

from harness import SLOWER, jsonl
from traces import node, summary, tool

# C0 but for the line end, DEL, C1, the marks that turn text round and the line ends of Unicode.
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
C0 = re.compile("[\x00-\x09\x0b-\x1f]")
COMMAND = re.compile(r"::(error|warning|notice) (file=[^,:]*,)?[^:]*title=([A-Z0-9_]+|trackway)::")
FORMS = ("text", "json", "sarif", "github", "junit")
# What a hostile string may rightly earn, by place.
JUSTIFIED = {"AT055", "AT063", "AT064", "AT065", "AT066", "AT067", "AT061"}
# A path as a reader would see it: of two parts, up and up again, or of a drive, but no \\xHH escape after a letter and a colon.
PATH = re.compile(r"(?<![\w/:.])(/[\w.-]+){2}|(?<!\w)[A-Za-z]:[\\/](?!x[0-9A-Fa-f]{2})\w|~/\w|\\\\\w+\\\w|\.\./\.")
PLACES = {
    "a tool's name": tool,
    "model": lambda i, s: node(i, model=s),
    "request_id": lambda i, s: node(i, request_id=s),
    "an unknown field": lambda i, s: node(i, extra=s),
    "an unknown name": lambda i, s: node(i, **{"x" + s: 1}),
    "a name inside": lambda i, s: node(i, extra={s: [s]}),
    "framework_version": lambda i, s: summary(framework_version={s or "x": s}),
    "error_message": lambda i, s: summary(error_message=s),
    "endpoint": lambda i, s: node(i, endpoint=s),
}
# Here a complaint quotes the string.
QUOTED = {
    "kind": lambda i, s: node(i, kind=s),
    "node_id": lambda i, s: node(i, node_id=s),
    "a parent": lambda i, s: node(i, parent_node_ids=[s]),
    "a time": lambda i, s: summary(started_at=s),
    "schema_version": lambda i, s: node(i, schema_version=s),
    "a kind of node_counts": lambda i, s: summary(node_counts={s: -1}),
    "a sibling": lambda i, s: node(i, kind="branch", branch={"branch_kind": s, "siblings": [s]}),
}
FILE_SCOPE = re.compile(r"AT1\d\d")


def run(suite):
    path = suite.data("11-naughty-strings", "corpora/11-naughty-strings/dev/strings.json")
    if not path:
        return
    with open(path, encoding="utf-8") as f:
        strings = json.load(f)
    check_values(suite, strings)
    check_forms(suite, strings)
    check_whole(suite, os.path.dirname(path))
    check_file_names(suite, strings)
    check_arguments(suite, strings)


def raw_in(output, form="text"):
    """What the output holds that a terminal could act on, or ''. Files for machines keep the text's own marks."""
    try:
        text = output.decode()
    except UnicodeDecodeError as e:
        return f"not UTF-8: {e}"
    m = (RAW if form in ("text", "github") else C0).search(text)
    return f"holds {m.group()!r} near {text[max(0, m.start() - 30) : m.end() + 10]!r}" if m else ""


def misread(form, output):
    """Why a machine could not read it, or ''."""
    try:
        if form in ("json", "sarif"):
            json.loads(output)
        elif form == "junit":
            xml.etree.ElementTree.fromstring(output)
        elif form == "github":
            lines = [t for t in output.decode().split("\n") if t.lstrip().startswith(("::", "##["))]
            odd = [t for t in lines if not COMMAND.match(t)]
            return f"a command that is not ours: {odd[0][:100]!r}" if odd else ""
    except (ValueError, xml.etree.ElementTree.ParseError) as e:
        return f"cannot be read: {e}"
    return ""


def check_values(suite, strings):
    place = suite.directory("naughty")
    for n, (title, make) in enumerate(PLACES.items()):
        path = suite.write(place, f"{n}.jsonl", jsonl(make(i, s) for i, s in enumerate(strings)))
        entry = suite.validate([path], ["--as", "agent-trace"])[path]
        findings = [f for f in entry["findings"] if not FILE_SCOPE.fullmatch(f["code"])]
        bad = []
        for f in findings:
            if f["code"] not in JUSTIFIED:
                bad.append((repr(strings[f["line"] - 1])[:80], f"{f['code']} {f['message']}"))
            elif (f["code"] == "AT064" or f["message"].endswith("a path")) and not PATH.search(strings[f["line"] - 1]):
                bad.append((repr(strings[f["line"] - 1])[:80], f"{f['code']} {f['message']}"))
        suite.check(f"set 11 as {title}: no finding that is not real", bad, len(strings))
        seen = Counter(f["code"] for f in findings)
        suite.note(f"as {title}: " + (", ".join(f"{c} {k}" for c, k in sorted(seen.items())) or "nothing"))
        if os.environ.get("LIST"):
            for f in findings:
                suite.note(f"    {f['code']} {strings[f['line'] - 1][:100]!r}: {f['message']}")


def check_forms(suite, strings):
    place = suite.directory("forms")
    for n, (title, make) in enumerate({**PLACES, **QUOTED}.items()):
        path = suite.write(place, f"{n}.jsonl", jsonl(make(i, s) for i, s in enumerate(strings)))
        bad, total = [], 0
        for form in FORMS:
            for mode in ([], ["--strict"], ["--permissive"]):
                total += 1
                options = ["--as", "agent-trace", "--all", "--report", form, *mode]
                status, out, err, _ = suite.run(["validate", *options, path])
                wrong = f"exit {status}" if status not in (0, 1) else raw_in(out, form) or raw_in(err) or misread(form, out)
                if wrong:
                    bad.append((f"--report {form} {' '.join(mode)}", wrong))
        suite.check(f"set 11 as {title}: every form can be read and nothing is raw", bad, total)


def check_whole(suite, where):
    paths = [os.path.join(where, n) for n in ("strings.json", "keys_object.json", "lines.jsonl")]
    bad = []
    for options in ([], ["--secrets"], ["--as", "agent-trace"], ["--as", "otutl"], ["--as", "trial"],
                    ["--as", "conversation"], ["--as", "trajectory"], ["--as", "results"], ["--as", "summary"]):  # fmt: skip
        for form in FORMS:
            status, out, err, _ = suite.run(["validate", "--all", "--report", form, *options, *paths])
            wrong = f"exit {status}" if status not in (0, 1) else raw_in(out, form) or raw_in(err) or misread(form, out)
            if wrong:
                bad.append((f"--report {form} {' '.join(options)}", wrong))
    suite.check("set 11 as whole files, as every format: every form can be read and nothing is raw", bad, 45)
    plain = suite.validate(paths[:2], ["--as", "json", "--secrets"])
    plain.update(suite.validate(paths[2:], ["--as", "jsonl", "--secrets"]))
    bad = [(os.path.basename(p), str(plain[p]["codes"])) for p in paths if plain[p]["findings"]]
    suite.check("set 11 as plain JSON: valid, and no key in it", bad, len(paths))


def usable_name(s):
    name = s.encode("utf-8", "surrogatepass")
    return 0 < len(name) <= 255 and b"/" not in name and b"\0" not in name and s not in (".", "..")


def check_file_names(suite, strings):
    place = suite.directory("names")
    content = jsonl([node(1, kind="odd"), summary()])
    names = []
    for s in strings:
        if usable_name(s) and s not in names:
            names.append(s)
            with open(os.path.join(os.fsencode(place), s.encode("utf-8", "surrogatepass")), "wb") as f:
                f.write(content)
    # Names that are no UTF-8 at all, which no JSON can say as they are.
    odd = [b"\xff\xfe.jsonl", b"a\x1b[31mb.jsonl", b"new\nline.jsonl", b"%s%n.jsonl", b"a::error::b,c.jsonl"]
    for name in odd:
        with open(os.path.join(os.fsencode(place), name), "wb") as f:
            f.write(content)
    arguments = [s.encode("utf-8", "surrogatepass") for s in names] + odd
    bad, total = [], 0
    for form in FORMS:
        # In a directory only names with the usual endings are looked at.
        usual = [a for a in arguments if a.endswith((b".json", b".jsonl", b".ndjson"))]
        for how, paths, seen in (("each named", arguments, arguments), ("as a directory", [b"."], usual)):
            total += 1
            status, out, err, _ = suite.run(["validate", "--report", form, "--", *paths], cwd=place)
            wrong = f"exit {status}" if status != 1 else raw_in(out, form) or raw_in(err) or misread(form, out)
            if wrong:
                bad.append((f"--report {form}, {how}", wrong))
            if form == "json" and not wrong:
                document = json.loads(out)
                told = [f["path"] for f in document["files"]]
                if len(told) != len(seen) or any(f["errors"] != 1 for f in document["files"]):
                    bad.append((f"--report json, {how}", f"{len(told)} files told, expected {len(seen)}"))
                missing = set(names) - set(told) if how == "each named" else set()
                bad += [(f"--report json, {how}", f"no path {m!r}") for m in missing]
    suite.check(f"set 11 as {len(arguments)} file names: every form can be read and nothing is raw", bad, total)


def check_arguments(suite, strings):
    place = suite.directory("arguments")
    bad, total, exits = [], 0, Counter()
    for s in strings:
        if "\0" in s:
            continue
        word = s.encode("utf-8", "surrogatepass")
        trials = [["validate", "--as", word, "x"], ["explain", "--", word]]
        if not os.path.exists(os.path.join(os.fsencode(place), word)):  # else something of this machine
            trials += [["validate", word], ["validate", "--", word]]
        for arguments in trials:
            total += 1
            status, out, err, seconds = suite.run(arguments, timeout=10, cwd=place)
            exits[status] += 1
            wrong = f"exit {status}" if status not in (0, 1, 2, 3) else raw_in(out + err)
            if seconds > SLOWER:
                wrong = f"{seconds:.1f} s"
            if wrong:
                bad.append((" ".join(str(a) for a in arguments)[:120], wrong))
    suite.check("set 11 as arguments: no crash, nothing raw", bad, total)
    suite.note(f"exit statuses: {dict(sorted(exits.items()))}")
    left = os.listdir(place)
    suite.check("set 11 as arguments: no file is made", [(repr(n), "made") for n in left], total)

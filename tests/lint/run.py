"""Runs the cases of tests/lint/*.case. Called by tests/lint/run.

A case:

    === title, a sentence
    rules: names of the rules to run; a rule of another program's is skipped without that program
    --- path
    lines of that file; <20> stands for the byte 0x20, and <x80>text for 80 lines of text
    --- expect
    what lint must print, without the last line
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINT = os.path.join(HERE, "..", "..", "tools", "lint")
PROGRAMS = {"shellcheck", "cppcheck"}


def unescape(text):
    text = re.sub(r"^<x(\d+)>(.*\n)", lambda m: m.group(2) * int(m.group(1)), text, flags=re.MULTILINE)
    return re.sub(r"<([0-9a-f]{2})>", lambda m: chr(int(m.group(1), 16)), text)


def cases(text):
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, *parts = re.split(r"^--- ", block, flags=re.MULTILINE)
        title, rules = re.match(r"(.+)\nrules: (.+)\n", head).groups()
        files = dict(part.split("\n", 1) for part in parts)
        yield title, rules.split(), files, files.pop("expect").rstrip("\n")


def run_lint(rules, files):
    """(what it printed but for the last line, exit status)"""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", newline="") as f:
                f.write(unescape(text).rstrip("\n") + "\n" if "<0a>" not in text else unescape(text))
        done = subprocess.run([sys.executable, LINT, "--root", root] + rules, capture_output=True, text=True)
    return (done.stdout + done.stderr).rstrip("\n").rpartition("\n")[0], done.returncode


def holds(rules, files, expect):
    got, status = run_lint(rules, files)
    want_status = int(any("] note: " not in line for line in expect.split("\n") if line))
    if got == expect and status == want_status:
        return True
    print(f"exit status {status}, expected {want_status}")
    sides = (expect.split("\n"), got.split("\n"), "expected", "what lint said")
    print("\n".join(difflib.unified_diff(*sides, lineterm="")))
    return False


def missing(rules):
    return [r for r in rules if r in PROGRAMS and not shutil.which(r)]


def main(words):
    passed = failed = skipped = 0
    for name in sorted(n for n in os.listdir(HERE) if n.endswith(".case")):
        with open(os.path.join(HERE, name)) as f:
            text = f.read()
        for title, rules, files, expect in cases(text):
            if words and not any(w in title for w in words):
                continue
            if missing(rules):
                skipped += 1
                print(f"skipped: {title}: no {missing(rules)[0]} here")
            elif holds(rules, files, unescape(expect)):
                passed += 1
            else:
                failed += 1
                print(f"FAIL {title} (tests/lint/{name})")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main(sys.argv[1:]))

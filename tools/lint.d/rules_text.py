"""What no file of the project may contain."""

import re

from tree import Finding

MAX_COLUMNS, MAX_COLUMNS_TESTS = 120, 150  # a row of a table of texts is better whole
CODE = re.compile(r"\.(c|h|cc|cpp|js|mjs|ts|py|sh)$|(^|/)(Makefile|run|setup|lint|fuzz|demo|run-tests)$")

# Written so that the patterns do not match themselves.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|root|home)/[\w.]")
REGISTRY = re.compile(
    r"\b(?:registry\.(?:npmjs|yarnpkg)|files\.pythonhosted|(?:deb|security|snapshot)\.debian|archive\.ubuntu"
    r"|(?:static\.|index\.)?crates|proxy\.golang|rubygems|repo1?\.maven|ghcr|docker|quay)\.(?:com|org|io|net)\b"
    r"|\bpypi\.org\b"
)


def columns(tree):
    """lines of at most 120 columns, in tests 150"""
    for path, text in tree.texts():
        if not CODE.search(path):
            continue
        most = MAX_COLUMNS_TESTS if path.startswith("tests/") else MAX_COLUMNS
        for number, line in enumerate(text.split("\n"), 1):
            width = len(line.expandtabs(8))
            if width > most:
                yield Finding(path, number, f"{width} columns wide (at most {most}); break the line")


def blanks(tree):
    """no trailing blanks, no carriage returns, one newline at the end"""
    for path, text in tree.texts():
        for number, line in enumerate(text.split("\n"), 1):
            if line.endswith("\r"):
                yield Finding(path, number, "carriage return; end lines with a newline only")
            elif line != line.rstrip(" \t"):
                yield Finding(path, number, "trailing blanks; remove them")
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            yield Finding(path, text.count("\n") + 1, "must end with exactly one newline")


def todo(tree):
    """a reminder has a name and a reason"""
    word = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b(?!\([\w.@-]+\): \S)")
    for path, text in tree.texts():
        if path.startswith("tools/lint"):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            m = word.search(line)
            if m:
                yield Finding(path, number, f"{m.group(1)} without a name and a reason; {m.group(1)}(name): reason")


def places(tree):
    """no paths of one machine, no hosts of package registries"""
    for path in tree.paths:
        content = tree.read(path)
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
            m = MACHINE_PATH.search(line)
            if m:
                yield Finding(path, number, f"{m.group()}... is a place on one machine; make it relative")
            m = REGISTRY.search(line)
            if m:
                yield Finding(path, number, f"{m.group()} is a registry's host; leave it to the package manager")


# Names of telemetry are written by one table and read by others: whoever spells one for himself misses the profiles.
TELEMETRY = re.compile(
    r'"(?:gen_ai\.(?!(?:system|user|assistant|tool)\.message|choice|prompt|completion)|llm\.cost'
    r'|agent_trace\.(?!run\.id))[\w.]*"'
)
TELEMETRY_TABLES = ("src/dialect/otlp/names.c", "src/dialect/otlp/attr.c")


def telemetry_names(tree):
    """names of telemetry stand in their tables only"""
    for path, text in tree.texts():
        if not path.startswith("src/") or not path.endswith((".c", ".h")) or path in TELEMETRY_TABLES:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            m = TELEMETRY.search(line)
            if m:
                yield Finding(path, number, f"{m.group()} is spelled here; take it from dialect/otlp/names.h")


RULES = [columns, blanks, todo, places, telemetry_names]

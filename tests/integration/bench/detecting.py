"""The reference detector gives what Python's `re` gives with the five patterns."""

import glob
import json
import os

import model
import texts

CUT = 200_000  # characters of one string


def strings_of(value):
    """Every string in a JSON value, names too."""
    stack = [value]
    while stack:
        v = stack.pop()
        if isinstance(v, str):
            yield v[:CUT]
        elif isinstance(v, list):
            stack.extend(v)
        elif isinstance(v, dict):
            stack.extend(v.keys())
            stack.extend(v.values())


def whole(text):
    """Without lone surrogates, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()


def compare(suite, title, given):
    cases = [{"detect": "reference", "text": t} for t in given]
    suite.compare(title, cases, [model.detect(t) for t in given], lambda a: a.get("tools"))


def naughty(directory):
    for path in sorted(glob.glob(os.path.join(directory, "**", "*.json*"), recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for line in text.splitlines() if path.endswith("l") else [text]:
            if line.strip():
                yield from strings_of(json.loads(line))


def trajectories(directory):
    for path in sorted(glob.glob(os.path.join(directory, "**", "*.json*"), recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        for line in text.splitlines() if path.endswith("l") else [text]:
            try:
                yield from strings_of(json.loads(line))
            except ValueError:
                yield line[:CUT]


def run(suite):
    rng = suite.random("detect")
    compare(suite, "generated texts", [texts.tools(rng) for _ in range(2 * suite.cases)])
    for title, path, read in (("naughty strings", "corpora/11-naughty-strings", naughty),
                              ("trajectories", "corpora/12-trajectories", trajectories)):
        directory = suite.data(title, path)
        if directory:
            compare(suite, title, sorted({whole(t) for t in read(directory)}))

"""What every set needs: every sample, converted to a format that others read, once."""

import concurrent.futures
import json
import os
import subprocess

import exporting
import harness

START = "2026-01-31T12:00:00Z"  # of runs without times
# Corpora of JSON, HTTP and the like: thousands of files, and none is a log.
NO_LOGS = ("01-", "01b-", "02-", "03-", "05-", "06-", "08-", "09-", "10-", "11-")
HERE = os.path.dirname(os.path.abspath(__file__))


class Sample:
    """One file and what it became: the documents of a format by its name."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self.made = {}

    def documents(self, to):
        with open(self.made[to], encoding="utf-8") as f:
            return [json.loads(line) for line in f if line.strip()]


def no_logs(path):
    parts = path.split(os.sep)
    return "corpora" in parts and any(p.startswith(NO_LOGS) for p in parts)


class Reading(exporting.Exporting):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        self.converted = {}

    def each(self, function, items):
        return list(self.pool.map(function, items))

    def files(self):
        """(path, name) of everything that may be a log."""
        own = os.path.normpath(os.path.join(HERE, "..", "..", "data"))
        found = []
        for base, front in ((own, "tests"), (os.path.join(self.shared, "data"), "data")):
            if os.path.isdir(base):
                paths = [p for p in harness.files_under(base) if not no_logs(os.path.relpath(p, base))]
                found += [(p, f"{front}/{os.path.relpath(p, base)}") for p in paths]
            else:
                self.skip(f"samples of {front}", f"{base} is not there")
        return found

    def samples(self, to):
        """Those that became documents of this format. What is no log is refused; another set checks that."""
        if to not in self.converted:
            where = self.directory(to)
            made = self.each(lambda f: self.load(where, to, *f), list(enumerate(self.files())))
            self.converted[to] = [s for s in made if to in s.made]
            self.note(f"{len(self.converted[to])} of {len(made)} files became {to}")
        return self.converted[to]

    def load(self, where, to, number, file):
        s = Sample(*file)
        out = os.path.join(where, f"{number:05d}")
        options = ["--start", START] if to == "otlp-json" else []
        done = self.convert(s.path, to, out, *options)
        if done == 0 and os.path.exists(out):
            s.made[to] = out
        return s

    def convert(self, path, to, out, *options):
        words = [self.program, "convert", path, "--to", to, "-o", out, *options]
        try:
            done = subprocess.run(words, cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=120 * harness.SLOWER, check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode


def is_atif(document):
    return isinstance(document, dict) and "schema_version" in document and "steps" in document


def source_documents(path):
    """The documents of a file that is JSON or lines of it; none for anything else."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return []


# ---- spans ----


def value_of(v):
    """A value of OTLP/JSON without its wrapping."""
    if not v:
        return None
    kind, inner = next(iter(v.items()))
    if kind == "intValue":
        return int(inner)
    if kind == "arrayValue":
        return [value_of(x) for x in inner.get("values", [])]
    if kind == "kvlistValue":
        return {x["key"]: value_of(x["value"]) for x in inner.get("values", [])}
    return inner


class Span:
    def __init__(self, raw):
        self.raw = raw
        self.name, self.id, self.parent = raw["name"], raw["spanId"], raw.get("parentSpanId")
        self.start, self.end = int(raw.get("startTimeUnixNano", 0)), int(raw.get("endTimeUnixNano", 0))
        self.attributes = {a["key"]: value_of(a["value"]) for a in raw.get("attributes", [])}

    def get(self, key):
        return self.attributes.get(key)

    def listed(self, key):
        """The list in an attribute that is JSON in a text; [] without it."""
        return json.loads(self.attributes[key]) if key in self.attributes else []


def traces_of(documents, sign="trackway.seq"):
    """
    The spans that we made, of each trace, by its id. Those that were read from a trace come back as they were, and have no
    such attribute. A root of an export has its own.
    """
    found = {}
    for document in documents:
        for resource in document.get("resourceSpans", []):
            for scope in resource["scopeSpans"]:
                for raw in scope["spans"]:
                    span = Span(raw)
                    if sign in span.attributes or "agent_trace.trace.id" in span.attributes:
                        found.setdefault(raw["traceId"], []).append(span)
    return found

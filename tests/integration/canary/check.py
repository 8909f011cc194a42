"""Plants canaries and looks for them. Called by run."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import birds
import harness
import templates

LEAST = 1000        # canaries
SEEN = 0.5          # of those planted into content: the share that a log with content must show, or planting is no proof
NAMES_EACH = 8      # structural leaves of a template that get one, one after the other
NAMES_MOST = 500
ROUNDS = 2


class Canary(harness.Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.seed = int(os.environ.get("SEED", "1"))
        self.environment["TRACKWAY_KEYS"] = os.path.join(self.place, "keys")
        self.templates = list(templates.seeds()) + list(templates.vendors(self.shared))

    def call(self, *words):
        done = subprocess.run([self.program, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def outputs(self, path, is_trace):
        """What must hold no canary: (which, bytes). And whether the file converts. A trace is passed on by convert as it is."""
        traced, shaped = path + ".trace", path + ".shape"
        status, out, err = self.call("convert", path, "--to", "agent-trace")
        found = [("convert --to agent-trace", b"" if is_trace else out), ("its messages", err)]
        for words in (("redact", path, "-o", traced), ("redact", path, "-o", shaped, "--keep-structure")):
            _, out, err = self.call(*words)
            found += [(f"messages of {words[0]}", out + err)]
            if os.path.exists(words[3]):
                with open(words[3], "rb") as f:
                    found.append((f"{words[0]} {' '.join(words[4:])}".strip(), f.read()))
                os.unlink(words[3])
        return status == 0, found


def leaks(case, planted, found):
    return [(case, f"{which} has the {kind} {text!r}") for which, raw in found for text, mark, kind in planted if mark.encode() in raw]


def content(suite):
    """A canary in every string that is content, all at once."""
    flock = birds.Birds(random.Random(suite.seed), suite.shared)
    where = suite.directory("content")

    def one(job):
        number, (name, template, planted) = job
        path = suite.write(where, f"{number}.jsonl" if template.kind == "lines" else f"{number}.json", template.dump())
        converts, found = suite.outputs(path, name == TRACE)
        _, otutl, _ = suite.call("convert", path, "--to", "otutl")
        os.unlink(path)
        shown = sum(mark.encode() in otutl for _, mark, _ in planted) if converts else 0
        return name, template.title, converts, len(planted), shown, leaks(template.title, planted, found)

    jobs = [(name, *plant_content(t.copy(), flock)) for name, t in suite.templates for _ in range(ROUNDS)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(one, enumerate(j for j in jobs if j[2])))
    good = [d for d in done if d[2]]
    planted, shown = sum(d[3] for d in good), sum(d[4] for d in good)
    names = {name for name, t in suite.templates}
    suite.check("no canary in content is in a trace, in tokens or in a message", [x for d in done for x in d[5]], sum(d[3] for d in done))
    suite.check("enough were planted into logs that convert", [] if planted >= LEAST else [("planted", planted)], planted)
    suite.check(f"a log with content shows at least {SEEN:.0%} of them",
                [] if shown >= SEEN * planted else [("shown", f"{shown} of {planted}")], shown)
    missing = {x[0] for x in templates.seeds()} - {d[0] for d in good} - WITHOUT
    suite.check("every format has a log that converts with canaries", sorted((n, "none") for n in missing), len(names))


TRACE = "agent_trace"
# Without content of their own: what is a string in them is a name, a word, a digest.
WITHOUT = {TRACE}


def plant_content(template, flock):
    planted = []
    if template.kind == "text":
        for i, line in enumerate(template.records):
            if len(line) > 20 and line[0].isalpha():
                text, mark = flock.sentence()
                template.records[i] = line + " " + text
                planted.append((text, mark, "sentence"))
        return template, planted
    for owner, key, name in template.leaves():
        if templates.STRUCTURE.match(name) or not owner[key]:
            continue
        text, mark = flock.any()
        value = owner[key]
        if value[:1] in "{[":
            continue  # JSON in a string would not be JSON any more
        owner[key] = value + " " + text if flock.random.random() < 0.5 else text
        planted.append((text, mark, "canary in " + name))
    return template, planted


def names(suite):
    """In a string that is structure: what is no name must not stay, wherever it stands. One after the other."""
    flock = birds.Birds(random.Random(suite.seed + 1), suite.shared)
    where = suite.directory("names")
    jobs = []
    for format, t in suite.templates:
        places = [i for i, (_, _, name) in enumerate(t.leaves()) if templates.STRUCTURE.match(name)] if t.kind != "text" else []
        for i in flock.random.sample(places, min(NAMES_EACH, len(places))):
            jobs.append((format, t, i, flock.no_name()))
    jobs = flock.random.sample(jobs, min(NAMES_MOST, len(jobs)))

    def one(job):
        number, (format, template, i, (text, mark)) = job
        changed = template.copy()
        owner, key, name = changed.leaves()[i]
        owner[key] = text
        path = suite.write(where, f"{number}.jsonl" if changed.kind == "lines" else f"{number}.json", changed.dump())
        _, found = suite.outputs(path, format == TRACE)
        os.unlink(path)
        return leaks(f"{changed.title} {name}", [(text, mark, "canary in " + name)], found)

    with ThreadPoolExecutor(2) as pool:
        bad = [x for d in pool.map(one, enumerate(jobs)) for x in d]
    suite.check("nothing that is no name stays in the place of one", bad, len(jobs))


harness.main({"content": content, "names": names}, Canary)

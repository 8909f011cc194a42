"""Files that grow, turn, shrink and are replaced while watch reads them: no event is lost, and none counts twice."""

import os
import shutil
import time

import harness
from watching import append, node

STEPS = int(os.environ.get("STEPS", "300"))


class Writer:
    """Does one thing after the other to the files of a directory, and knows what must be counted."""

    def __init__(self, suite, where):
        self.random, self.where = suite.random, where
        self.paths = [os.path.join(where, f"run-{n}", "agent-trace.jsonl") for n in range(4)]
        self.written = 0  # events whose line is whole
        self.torn = {}  # path -> the rest of a line
        self.turns = 0
        for path in self.paths:
            os.mkdir(os.path.dirname(path))

    def lines(self, path):
        """Some new lines; a torn one is completed first."""
        rest = self.torn.pop(path, None)
        count = self.random.randrange(1, 30)
        self.written += count + (rest is not None)
        kind = self.random.choice(("model_call", "tool_call", "retry"))
        return (rest or b"") + b"".join(node(os.path.basename(os.path.dirname(path)), kind=kind) for _ in range(count))

    def grow(self, path):
        append(path, self.lines(path))

    def tear(self, path):
        """Half a line, in the middle of a byte sequence of our choice."""
        if path not in self.torn:
            line = node(os.path.basename(os.path.dirname(path)))
            at = self.random.randrange(1, len(line))
            append(path, line[:at])
            self.torn[path] = line[at:]

    def content(self, path):
        try:
            with open(path, "rb") as f:
                return f.read()
        except FileNotFoundError:
            return b""

    def whole(self, path):
        """Completes a torn line, for what follows must not change it."""
        if path in self.torn:
            self.grow(path)

    def rotate(self, path):
        self.whole(path)
        if os.path.exists(path):
            self.turns += 1
            os.rename(path, f"{path}.{self.turns}")
        self.grow(path)

    def copy_and_truncate(self, path):
        self.whole(path)
        if os.path.exists(path):
            self.turns += 1
            shutil.copyfile(path, f"{path}.{self.turns}")
            os.truncate(path, 0)
        self.grow(path)

    def replace(self, path):
        """A new file in its place that holds all it held, and more."""
        self.whole(path)
        new = path + "~"
        with open(new, "wb") as f:
            f.write(self.content(path) + self.lines(path))
        os.rename(new, path)

    def rewrite(self, path):
        """The same without a new inode, with the new lines first."""
        self.whole(path)
        old = self.content(path)
        with open(path, "wb") as f:
            f.write(self.lines(path) + old)

    def step(self):
        path = self.random.choice(self.paths)
        acts = [self.grow] * 6 + [self.tear] * 3 + [self.rotate, self.copy_and_truncate, self.replace, self.rewrite]
        self.random.choice(acts)(path)

    def finish(self):
        for path in self.paths:
            self.whole(path)


def run(suite):
    where = suite.directory("files")
    writer = Writer(suite, where)
    too_many = []
    begin = time.monotonic()
    with suite.watch(where) as watch:
        for step in range(STEPS):
            writer.step()
            time.sleep(suite.random.random() * 0.03)
            if step % 10 == 0:
                seen = watch.figures()["trackway_events"]
                if seen > writer.written:
                    too_many.append((f"step {step}", f"{seen:.0f} of {writer.written}"))
        writer.finish()
        figures = watch.until(lambda f: f["trackway_events"] >= writer.written)
        time.sleep(2.5 * harness.SLOWER)  # two more passes: nothing may be counted again
        figures = watch.figures()
    if time.monotonic() - begin > 250:
        suite.skip("the counts of changing files", "it took so long that events left the window")
        return
    suite.check("no count is ever more than was written", too_many, STEPS // 10)
    suite.one(f"after {STEPS} changes every event counts once ({writer.written})",
              figures["trackway_events"] == writer.written, f"{figures['trackway_events']:.0f} of {writer.written}")
    suite.one("nodes by kind add up", sum(v for k, v in figures.items() if k[0] == "trackway_nodes") == writer.written, figures)
    damaged = figures["trackway_watch_lines_skipped_total", "damaged"]
    suite.one("no line was taken for damaged", damaged == 0, f"{damaged:.0f} were")
    with suite.watch(where) as watch:
        again = watch.figures()["trackway_events"]
    suite.one("a new start gives the same", again == writer.written, f"{again:.0f} of {writer.written}")


def kill(suite):
    """kill -9 at any moment, while lines are written, and a new start."""
    where = suite.directory("kill")
    writer = Writer(suite, where)
    bad = []
    for n in range(8):
        with suite.watch(where) as watch:
            for _ in range(suite.random.randrange(1, 15)):
                writer.step()
                time.sleep(suite.random.random() * 0.05)
            seen = watch.figures()["trackway_events"]
            if seen > writer.written:
                bad.append((f"life {n}", f"{seen:.0f} of {writer.written}"))
    writer.finish()
    with suite.watch(where) as watch:
        first = watch.page()
    with suite.watch(where) as watch:
        second = watch.page()
    suite.check("a watch that is killed never counts too many", bad, 8)
    suite.one(f"after the kills every event counts once ({writer.written})", f"\ntrackway_events {writer.written}\n" in first,
              first.split("\n")[2])
    suite.one("two starts give the same page", first == second, "they differ")

"""Writers are killed (SIGKILL): at each of their writes, and at random with eight of them at work. What a writer said on
standard output is an acknowledgement: that entry must be at that index for ever."""

import json
import os
import shutil
import subprocess
import threading
import time

import harness
import reading

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = float(os.environ.get("KILL_SECONDS", "60"))
WRITERS = 8
ORIGIN = "kills.example/log"


class Place:
    """A ledger, its keys, and records to add to it."""

    def __init__(self, suite, name):
        self.suite = suite
        self.top = suite.directory(name)
        self.ledger = os.path.join(self.top, "ledger")
        self.keys = os.path.join(self.top, "keys")
        self.made = 0
        self.lock = threading.Lock()

    def environment(self, **more):
        return {**self.suite.environment, "TRACKWAY_KEYS": self.keys, "TRACKWAY_LEDGER": self.ledger, **more}

    def start(self, words, **more):
        return subprocess.Popen([self.suite.program, "ledger", *words], cwd=self.top, env=self.environment(**more),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, words, **more):
        """(status, standard output, standard error)"""
        with self.start(words, **more) as p:
            try:
                out, err = p.communicate(timeout=60 * harness.SLOWER)
            except subprocess.TimeoutExpired:
                p.kill()
                out, err = p.communicate()
                return None, out, err
            return p.returncode, out, err

    def must(self, words):
        status, out, err = self.run(words)
        if status != 0:
            raise harness.Broken(f"ledger {' '.join(words)}: exit {status}: {err[-300:].decode(errors='replace')}")
        return out

    def records(self, count):
        """Paths of new records, each with an id of its own."""
        paths = []
        for _ in range(count):
            with self.lock:
                self.made += 1
                number = self.made
            record = json.loads(TEMPLATE)
            record["trial_id"] = f"t-{number:06d}"
            record["experiment_id"] = f"e-{number % 3}"
            record["inputs"]["instruction"] = "Check the beam. " * (1 + number % 40)
            path = os.path.join(self.top, f"{record['trial_id']}.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(record, f)
            paths.append(path)
        return paths


with open(os.path.join(HERE, "..", "..", "data", "trial", "full.json"), encoding="utf-8") as template:
    TEMPLATE = template.read()


def acknowledged(out):
    """(index, leaf, trial) of every whole line."""
    found = []
    for line in out.split(b"\n")[:-1]:
        words = line.decode().split(" ")
        if len(words) < 3 or not words[0].isdigit() or len(words[1]) != 64:
            raise harness.Broken(f"not a line of 'ledger add': {line!r}")
        found.append((int(words[0]), words[1], words[2]))
    return found


def missing(ledger, acks):
    """What was acknowledged and is not there so, in words."""
    try:
        entries, _ = reading.whole(ledger)
    except reading.NotWhole as e:
        return [str(e)]
    bad = []
    for index, leaf, trial in acks:
        if index >= len(entries):
            bad.append(f"{trial} at {index} is not among {len(entries)}")
        elif reading.leaf(entries[index]).hex() != leaf or json.loads(entries[index])["id"] != trial:
            bad.append(f"{trial} at {index} is another entry: {entries[index][:80]!r}")
    return bad


def twice(ledger):
    """Trials that are there more than once."""
    seen, bad = set(), []
    for entry in reading.whole(ledger)[0]:
        value = json.loads(entry)
        key = (value.get("kind"), value.get("experiment"), value.get("id"))
        if key in seen:
            bad.append(f"{key} is there twice")
        seen.add(key)
    return bad


# ---- at each write ----


def build_killer(suite):
    library = os.path.join(suite.directory("killer"), "killer.so")
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if not compiler:
        return None
    done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "killer.c"), "-ldl"],
                          capture_output=True)
    if done.returncode != 0:
        raise harness.Broken(f"killer.c: {done.stderr[-300:].decode()}")
    return library


def is_sanitized(program):
    """A sanitizer's own library must be the first; it does not let another one come before it."""
    return b"__asan_init" in reading.read(program)


class Copies:
    """The same small ledger again and again, hard links and all."""

    def __init__(self, suite):
        self.suite = suite
        self.original = Place(suite, "original")
        self.original.must(["init", "--origin", ORIGIN])
        self.first = acknowledged(self.original.must(["add", *self.original.records(2)]))
        self.new = self.original.records(3)

    def copy(self):
        place = Place(self.suite, "killed")
        for name in ("ledger", "keys"):
            subprocess.run(["cp", "-a", os.path.join(self.original.top, name), place.top], check=True)
        return place


def add_slowly(place, paths, **more):
    """(status, standard output): records on standard input, each after the line of the one before it has come."""
    out = b""
    with subprocess.Popen([place.suite.program, "ledger", "add", "-"], cwd=place.top, env=place.environment(**more),
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        timer = threading.Timer(60 * harness.SLOWER, p.kill)
        timer.start()
        for path in paths:
            try:
                p.stdin.write(json.dumps(json.loads(reading.read(path))).encode() + b"\n")
                p.stdin.flush()
            except BrokenPipeError:
                break
            out += p.stdout.readline()
        rest, err = p.communicate()
        timer.cancel()
        return p.returncode, out + rest, err


def killed_at(copies, library, k, half, slowly):
    """Whether it was killed, how much it had acknowledged, and what is wrong after that, as (where, what)."""
    place = copies.copy()
    more = {"LD_PRELOAD": library, "KILL_AT": str(k)}
    if half:
        more["KILL_HALF"] = "1"
    status, out, err = add_slowly(place, copies.new, **more) if slowly else place.run(["add", *copies.new], **more)
    where, bad = f"call {k}{' (half)' if half else ''}{' of slow input' if slowly else ''}", []
    if status not in (0, -9):
        bad.append((where, f"exit {status}: {err[-200:]}"))
    before = acknowledged(out)
    acks = copies.first + before
    verify_status, _, verify_err = place.run(["verify"])
    if verify_status != 0:
        bad.append((where, f"verify after the kill: exit {verify_status}: {verify_err[-300:].decode(errors='replace')}"))
    status2, out, err = place.run(["add", *copies.new])
    if status2 != 0:
        bad.append((where, f"adding again: exit {status2}: {err[-300:].decode(errors='replace')}"))
    else:
        again = acknowledged(out)
        acks += again
        if len(again) != len(copies.new):
            bad.append((where, f"adding again said {len(again)} lines for {len(copies.new)} records"))
    bad += [(where, what) for what in missing(place.ledger, acks) + twice(place.ledger)]
    verify_status, _, verify_err = place.run(["verify"])
    if verify_status != 0:
        bad.append((where, f"verify at the end: exit {verify_status}: {verify_err[-300:].decode(errors='replace')}"))
    shutil.rmtree(place.top)
    return status == -9, len(before), bad


def at_each_write(suite):
    title = "killed at each write: nothing lost, nothing twice, verified, completed"
    if is_sanitized(suite.program):
        suite.skip(title, "a program with AddressSanitizer takes no library before its own")
        return
    library = build_killer(suite)
    if not library:
        suite.skip(title, "no C compiler is installed")
        return
    copies = Copies(suite)
    bad, kills, acks, total = [], 0, 0, 0
    for slowly in (False, True):
        for k in range(1, count_calls(copies, library, slowly) + 1):
            was_killed, before, wrong = killed_at(copies, library, k, k % 2 == 0, slowly)
            total += 1
            kills += was_killed
            acks += before
            bad += wrong
    suite.check(title, bad, total)
    suite.note(f"{total} calls, {acks} acknowledgements before the kill")
    suite.check("it was killed every time", [] if kills == total > 20 else [("kills", f"{kills} of {total}")], total)
    suite.check("some were killed after an acknowledgement", [] if acks > 20 else [("acknowledgements", acks)], total)


def count_calls(copies, library, slowly):
    """How many calls that write, sync or name something it takes when nobody kills it."""
    place = copies.copy()
    more = {"LD_PRELOAD": library, "KILL_COUNT": os.path.join(place.top, "calls")}
    status, _, err = add_slowly(place, copies.new, **more) if slowly else place.run(["add", *copies.new], **more)
    if status != 0:
        raise harness.Broken(f"under the killer: exit {status}: {err[-300:].decode(errors='replace')}")
    return int(reading.read(more["KILL_COUNT"]))


# ---- at random ----


class Siege:
    def __init__(self, suite, place):
        self.suite, self.place = suite, place
        self.acks, self.odd, self.kills, self.runs = [], [], 0, 0
        self.seen = {}
        self.longest = 0.3 * harness.SLOWER  # seconds of life that are given; follows how fast the machine is
        self.lock = threading.Lock()
        self.end = time.monotonic() + SECONDS

    def writer(self, number):
        chance = type(self.suite.random)(self.suite.seed * 100 + number)
        pending = []
        while time.monotonic() < self.end:
            if len(pending) < 3 or chance.random() < 0.5:
                pending = pending[-6:] + self.place.records(chance.choice((1, 1, 2, 5)))
            p = self.place.start(["add", *pending])
            timer = threading.Timer(chance.random() * self.longest, p.kill)
            timer.start()
            out, err = p.communicate()
            timer.cancel()
            self.note(p.returncode, out, err)
            if p.returncode == 0:
                pending = []

    def note(self, status, out, err):
        with self.lock:
            self.runs += 1
            self.kills += status == -9
            # Two of three shall be killed, the others end by themselves: then kills come at every moment of the work.
            self.longest *= 1.02 if status == -9 else 0.96
            if status not in (0, -9):
                self.odd.append((f"exit {status}", err[-300:].decode(errors="replace")))
            try:
                self.acks += acknowledged(out)
            except harness.Broken as e:
                self.odd.append(("output", str(e)))

    def watcher(self):
        """Every checkpoint that a reader could have seen, and whether it could read what that speaks of."""
        path = os.path.join(self.place.ledger, "checkpoint")
        while time.monotonic() < self.end:
            note = reading.read(path)
            if note not in self.seen:
                self.seen[note] = None
                try:
                    size, root = reading.parse(note)
                    tree = reading.Tree()
                    for entry in reading.entries(self.place.ledger, size):
                        tree.add(reading.leaf(entry))
                    if tree.root() != root:
                        self.seen[note] = "its entries have another root"
                except (reading.NotWhole, ValueError) as e:
                    self.seen[note] = str(e)
            time.sleep(0.002)

    def run(self):
        threads = [threading.Thread(target=self.writer, args=(n,)) for n in range(WRITERS)]
        threads.append(threading.Thread(target=self.watcher))
        for t in threads:
            t.start()
        for t in threads:
            t.join()


def forks(siege, roots):
    bad = []
    for note, wrong in siege.seen.items():
        size, root = reading.parse(note)
        if wrong:
            bad.append((f"checkpoint of {size}", wrong))
        if size >= len(roots):
            bad.append((f"checkpoint of {size}", f"the log has {len(roots) - 1} entries"))
        elif roots[size] != root:
            bad.append((f"checkpoint of {size}", "it is not a prefix of the log"))
    return bad


def against(siege, count):
    """Some of the checkpoints seen, through the program's own eyes."""
    bad, notes = [], sorted(siege.seen, key=lambda n: reading.parse(n)[0])
    for i in range(min(count, len(notes))):
        note = notes[i * len(notes) // count if len(notes) > count else i]
        path = siege.suite.write(siege.place.top, "seen", note)
        status, _, err = siege.place.run(["verify", "--against", path])
        if status != 0:
            bad.append((f"checkpoint of {reading.parse(note)[0]}", f"exit {status}: {err[-300:].decode(errors='replace')}"))
    return bad


def leftovers(place):
    """Temporary files that are old, and nobody's: gone after the next writer."""
    found = reading.temporary_files(place.ledger) + reading.temporary_files(place.keys)
    old = time.time() - 3600
    for path in found:
        os.utime(path, (old, old))
    place.must(["add", *place.records(1)])
    left = [p for p in found if os.path.exists(p)]
    return len(found), [(os.path.relpath(p, place.top), "is still there") for p in left]


def at_random(suite):
    place = Place(suite, "siege")
    place.must(["init", "--origin", ORIGIN])
    siege = Siege(suite, place)
    siege.run()
    suite.note(f"{siege.runs} writers, {siege.kills} killed, {len(siege.acks)} acknowledgements, {len(siege.seen)} checkpoints seen")
    suite.check("a writer that is not killed ends well", siege.odd, siege.runs)
    enough = siege.kills > SECONDS and len(siege.acks) > SECONDS and len(siege.seen) > SECONDS / 2
    suite.check("there were kills and acknowledgements enough", [] if enough else [("siege", "too few to mean anything")], 1)
    place.must(["add", *place.records(1)])
    entries, roots = reading.whole(place.ledger)
    suite.check("everything acknowledged is there, at its index", [("lost", m) for m in missing(place.ledger, siege.acks)], len(siege.acks))
    suite.check("nothing is there twice", [("twice", m) for m in twice(place.ledger)], len(entries))
    suite.check("every checkpoint seen could be read, and is a prefix of the log", forks(siege, roots), len(siege.seen))
    suite.check("verify --against says so too", against(siege, 20), min(20, len(siege.seen)))
    status, _, err = place.run(["verify"])
    suite.check("verify finds the ledger whole", [] if status == 0 else [("verify", err[-300:].decode(errors="replace"))], 1)
    count, left = leftovers(place)
    suite.check("temporary files of the dead are collected", left, count)

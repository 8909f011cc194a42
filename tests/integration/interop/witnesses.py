"""Two machines that cosign each other; what a witness refuses; tessera asking ours."""

import os
import shutil
import signal
import subprocess

import go_programs
import harness
from world import expect, trial


class Machine:
    """A ledger, a directory of keys, and a witness that runs."""

    def __init__(self, suite, name):
        self.suite, self.name = suite, name
        self.place = suite.directory(f"machine-{name}")
        self.ledger = os.path.join(self.place, "ledger")
        self.environment = dict(suite.environment, TRACKWAY_KEYS=os.path.join(self.place, "keys"))
        self.child = None
        self.vkey = self.must("ledger", "init", "--origin", f"{name}.example.org/trials", "--ledger", self.ledger).strip()
        self.add(range(5))

    def run(self, *arguments, given=b""):
        done = subprocess.run(
            [self.suite.program, *arguments], env=self.environment, cwd=self.place, input=given, capture_output=True,
            timeout=60 * harness.SLOWER
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def must(self, *arguments):
        status, out, err = self.run(*arguments)
        if status != 0:
            raise harness.Broken(f"{' '.join(arguments)}: exit {status}: {err[-300:]}")
        return out

    def add(self, numbers):
        import json

        path = self.suite.write(self.place, "r.jsonl", "".join(json.dumps(trial(n)) + "\n" for n in numbers))
        self.must("ledger", "add", path, "--ledger", self.ledger)

    def serve(self, *vkeys):
        arguments = [self.suite.program, "ledger", "witness", "--name", f"{self.name}.example.org/witness"]
        for vkey in vkeys:
            arguments += ["--knows", vkey]
        self.child = subprocess.Popen(arguments, env=self.environment, cwd=self.place, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
        self.url = self.child.stdout.readline().decode().strip()
        self.witness_vkey = self.child.stdout.readline().decode().strip()
        if not self.url.startswith("http://127.0.0.1:") or "+" not in self.witness_vkey:
            raise harness.Broken(f"the witness said {self.url!r} and {self.witness_vkey!r}")

    def stop(self):
        if not self.child:
            return None
        self.child.send_signal(signal.SIGTERM)  # SIGINT may be ignored: a job in the background
        status = self.child.wait(timeout=30)
        self.child.stdout.close()
        self.child = None
        return status

    def cosign_by(self, other):
        return self.run("ledger", "cosign", "--witness", other.url, "--witness-vkey", other.witness_vkey,
                        "--ledger", self.ledger)


def policy_of(suite, place, log, witness):
    return suite.write(place, "policy", f"log {log}\nwitness w {witness.witness_vkey} {witness.url}\nquorum w\n")


def each_other(suite, a, b):
    bad = []
    for one, other in ((a, b), (b, a)):
        status, out, err = one.cosign_by(other)
        if status != 0:
            bad.append((f"{one.name} by {other.name}", err))
            continue
        policy = policy_of(suite, one.place, one.vkey, other)
        status, out, err = one.run("ledger", "verify", "--policy", policy, "--vkey", one.vkey, "--ledger", one.ledger)
        if status != 0:
            bad.append((f"verify {one.name}", out + err))
    suite.check("each cosigns the other, and verify --policy says yes", bad, 2)


def without_a_witness(suite, a, b):
    """A policy that asks for a witness who was not asked must fail."""
    policy = suite.write(a.place, "other", f"log {a.vkey}\nwitness w {a.witness_vkey}\nquorum w\n")
    status, out, err = a.run("ledger", "verify", "--policy", policy, "--vkey", a.vkey, "--ledger", a.ledger)
    suite.check("a policy whose witness is missing is not satisfied", [("verify", out + err)] if status != 1 else [], 1)


def grown(suite, a, b):
    bad = []
    for step in range(3):
        a.add(range(100 * (step + 1), 100 * (step + 1) + 90))
        status, out, err = a.cosign_by(b)
        if status != 0:
            bad.append((step, err))
    suite.check("a ledger that grows is cosigned again and again", bad, 3)


def rolled_back(suite, a, b):
    """Ledger and key as they were before: the owner's own memory is gone too, and only the witness knows."""
    for what in ("ledger", "keys"):
        shutil.copytree(os.path.join(a.place, what), os.path.join(a.place, what + ".before"), copy_function=shutil.copy2)
    a.add(range(600, 610))
    status, out, err = a.cosign_by(b)
    if status != 0:
        raise harness.Broken(err)
    for what in ("ledger", "keys"):
        shutil.rmtree(os.path.join(a.place, what))
        os.rename(os.path.join(a.place, what + ".before"), os.path.join(a.place, what))
    status, out, err = a.cosign_by(b)
    bad = [("rollback", f"exit {status}: {err}")] if status != 1 or "E_ROLLBACK" not in err else []
    a.add(range(700, 715))  # grown past it again, along another way
    status, out, err = a.cosign_by(b)
    if status != 1 or "E_FORK" not in err:
        bad.append(("fork", f"exit {status}: {err}"))
    suite.check("a ledger that was taken back is refused, also when it has grown again", bad, 2)


def by_hand(suite, a, b):
    """Files that travel instead of questions: B has a copy of A's ledger."""
    b.stop()
    copy = os.path.join(b.place, "copy-of-a")
    shutil.copytree(a.ledger, copy)
    keys = [f for f in os.listdir(b.environment["TRACKWAY_KEYS"]) if f.endswith(".key")]
    own = b.witness_vkey.split("+")[1] + ".key"
    bad = [] if own in keys else [("key", f"{own} is not among {keys}")]
    key = os.path.join(b.environment["TRACKWAY_KEYS"], own)
    status, line, err = b.run("ledger", "cosign", "--key", key, "--vkey", a.vkey, "--ledger", copy)
    if status != 0 or not line.startswith("— b.example.org/witness "):
        bad.append(("sign", f"exit {status}: {line}{err}"))
    status, out, err = a.run("ledger", "cosign", "--add", "-", "--witness-vkey", b.witness_vkey, "--ledger", a.ledger,
                             given=line.encode())
    if status != 0:
        bad.append(("add", err))
    policy = suite.write(a.place, "hand", f"log {a.vkey}\nwitness w {b.witness_vkey}\nquorum w\n")
    status, out, err = a.run("ledger", "verify", "--policy", policy, "--vkey", a.vkey, "--ledger", a.ledger)
    if status != 0:
        bad.append(("verify", out + err))
    suite.check("cosignatures can travel as files", bad, 4)


def libraries(suite, a, b):
    """What others make of our cosignatures, and of our witness."""
    program = go_programs.build(suite, "tessera")
    if not program:
        return
    checkpoint = os.path.join(a.ledger, "checkpoint")
    expect(suite, "transparency-dev's formats verifies the cosignature",
           [program, "cosigned", checkpoint, a.vkey, b.witness_vkey], contains="cosigned at")
    expect(suite, "and its policies are satisfied", [program, "policy", checkpoint, a.vkey,
                                                   policy_of(suite, a.place, a.vkey, b)])
    witnessed_tessera(suite, program)


def witnessed_tessera(suite, program):
    """A log that tessera writes, cosigned by our witness each time it grows."""
    c = Machine(suite, "c")
    keys = c.environment["TRACKWAY_KEYS"]
    skey = os.path.join(keys, c.vkey.split("+")[1] + ".key")
    c.serve(c.vkey)
    try:
        policy = suite.write(c.place, "policy", f"witness w {c.witness_vkey} {c.url}\nquorum w\n")
        log = os.path.join(c.place, "theirs")
        for first, count in ((0, 20), (20, 300)):
            text = expect(suite, f"tessera has {count} more entries cosigned by our witness",
                          [program, "log", log, skey, policy, str(first), str(count)], contains="c.example.org/witness",
                          seconds=90)
        expect(suite, "the result passes its own check", [program, "fsck", log, c.vkey], contains="320 entries")
        suite.write(c.place, "theirs.txt", text)
    finally:
        c.stop()


def two_machines(suite):
    a, b = Machine(suite, "a"), Machine(suite, "b")
    try:
        a.serve(b.vkey)
        b.serve(a.vkey)
        each_other(suite, a, b)
        without_a_witness(suite, a, b)
        grown(suite, a, b)
        libraries(suite, a, b)
        by_hand(suite, a, b)
        b.serve(a.vkey)
        rolled_back(suite, a, b)
        status = a.stop()
        suite.check("SIGTERM ends a witness with 143", [("status", str(status))] if status != 143 else [], 1)
    finally:
        a.stop()
        b.stop()

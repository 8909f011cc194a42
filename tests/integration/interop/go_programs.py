"""Programs that import other people's packages: built once, skipped where Go or the modules cannot be had."""

import os
import shutil
import time

from world import call, expect

HERE = os.path.dirname(os.path.abspath(__file__))


def build(suite, name):
    """The path of the built program, or None after having said why."""
    place = os.path.abspath(os.path.join(os.environ.get("B", "build"), "integration", "interop"))
    source, program = os.path.join(HERE, name), os.path.join(place, name)
    if not shutil.which("go"):
        suite.skip(name, "go is not installed")
        return None
    os.makedirs(place, exist_ok=True)
    newest = max(os.path.getmtime(os.path.join(source, f)) for f in os.listdir(source))
    if os.path.exists(program) and os.path.getmtime(program) > newest:
        return program
    environment = dict(os.environ, GOFLAGS="-mod=readonly", GOTOOLCHAIN="local", CGO_ENABLED="0")
    status, text = call(["go", "mod", "download"], cwd=source, env=environment, seconds=300)
    if status != 0:
        suite.skip(name, f"its modules cannot be fetched: {text.strip().splitlines()[-1][:200]}")
        return None
    start = time.monotonic()
    status, text = call(["go", "build", "-o", program, "."], cwd=source, env=environment, seconds=600)
    suite.check(f"{name} builds", [(name, text[-300:])] if status != 0 else [], 1)
    suite.note(f"built in {time.monotonic() - start:.1f} s")
    return program if status == 0 else None


def copy_with_a_flip(suite, path):
    """A copy of the ledger in which one byte of a file is another."""
    copy = os.path.join(suite.directory("flipped"), "ledger")
    shutil.copytree(suite.world.ledger, copy)
    full = os.path.join(copy, path)
    os.chmod(full, 0o644)
    with open(full, "r+b") as f:
        f.seek(100)
        byte = f.read(1)
        f.seek(100)
        f.write(bytes([byte[0] ^ 1]))
    return copy


def refused(suite, program, command):
    """What was tampered with must not pass, or the other checks would mean nothing."""
    bad = []
    for path in ("tile/0/000", "tile/entries/000"):
        status, text = call([program, command, copy_with_a_flip(suite, path), suite.world.vkey])
        if status == 0:
            bad.append((path, "a flipped byte passed"))
    suite.check("a flipped byte is refused", bad, 2)


def proofs(suite, program):
    bad = []
    w = suite.world
    names = ["t-0000", "255", "256", "309", "310", "diagnostic/0"]
    for name in names:
        proof, entry = w.prove(name)
        vkey = w.vkey if "/" not in name else diagnostic_vkey(w)
        status, text = call([program, "proof", vkey, proof, entry])
        if status != 0:
            bad.append((name, text.strip()))
    suite.check("proofs hold", bad, len(names))
    proof, _ = w.prove("t-0001")
    _, entry = w.prove("t-0002")
    expect(suite, "a proof of another entry does not", [program, "proof", w.vkey, proof, entry], want=1)


def diagnostic_vkey(w):
    return w.must("ledger", "head", "--part", "diagnostic", "--json=vkey", "--ledger", w.ledger).split('"vkey":"')[1][:-3]


def sumdb(suite):
    w = suite.world
    program = build(suite, "sumdb")
    if not program:
        return
    expect(suite, "Go's note and tlog verify the ledger", [program, "ledger", w.ledger, w.vkey], contains="entries")
    expect(suite, "and the diagnostic log", [program, "ledger", w.ledger + "/diagnostic", diagnostic_vkey(w)],
           contains="1 entries")
    expect(suite, "an older head is its beginning", [program, "consistency", w.ledger, w.vkey, w.old],
           contains="is the beginning of")
    proofs(suite, program)
    refused(suite, program, "ledger")


def tessera(suite):
    w = suite.world
    program = build(suite, "tessera")
    if not program:
        return
    expect(suite, "tessera's fsck passes the ledger", [program, "fsck", w.ledger, w.vkey], contains="entries")
    expect(suite, "and the diagnostic log", [program, "fsck", w.ledger + "/diagnostic", diagnostic_vkey(w)])
    proofs(suite, program)
    refused(suite, program, "fsck")

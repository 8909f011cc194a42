"""The commands, with --ledger postgres://...: eight at once, conflicts, proofs, static files, an edit that is found."""

import os

from driving import PASSWORD

WRITERS, EACH = 8, 5


def run(suite):
    server = suite.main
    database = server.database("commands")
    url, home = server.url(database, password=PASSWORD), suite.directory("home")
    said = []

    def trackway(*arguments):
        status, out, err = suite.trackway(home, *arguments, TRACKWAY_LEDGER=url)
        said.append(out + err)
        return status, out, err

    status, vkey, err = trackway("ledger", "init", "--origin", "suite.example/trials")
    if not suite.one("init makes a ledger in an empty database", status == 0 and vkey.startswith("suite.example/trials+"), err):
        return
    suite.write(home, "vkey", vkey)
    status, _, err = trackway("ledger", "init", "--origin", "suite.example/trials")
    suite.one("and does not make it twice", status != 0, err)

    records = suite.directory("records")
    shared = suite.record(records, "shared")
    running = []
    for w in range(WRITERS):
        paths = [suite.record(records, f"w{w}-{i}") for i in range(EACH)]
        running.append(suite.start_trackway(home, "ledger", "add", *paths, shared, TRACKWAY_LEDGER=url))
    bad = []
    for w, p in enumerate(running):
        out, err = p.communicate(timeout=300)
        said.append(out.decode() + err.decode())
        if p.returncode:
            bad.append((f"writer {w}", err.decode()[-300:]))
    suite.check("eight writers at once are all served", bad, WRITERS)
    size = server.ask(database, "SELECT size, published FROM ledger.head WHERE origin = 'suite.example/trials'")
    want = WRITERS * EACH + 1
    suite.one("each record is there once, and published", size == f"{want}|{want}", size)

    whole = lambda: trackway("ledger", "verify", "--vkey", os.path.join(home, "vkey"))
    status, out, err = whole()
    suite.one("verify finds it whole", status == 0, out + err)
    status, out, err = trackway("ledger", "list", "--json")
    suite.one("list has them all", status == 0 and out.count('"w') >= WRITERS * EACH, (status, out[:200], err))
    other = suite.write(records, "other.json", suite.record_text.replace('"t-001"', '"shared"').replace('"complete"', '"complete" '))
    status, out, err = trackway("ledger", "add", other)
    suite.one("another record of the same name is refused", status == 1 and "E_CONFLICT" in out + err, out + err)

    proofs(suite, trackway, home)
    export(suite, trackway, server, database, home)
    edited(suite, trackway, server, database, whole)
    runs(suite, trackway, server, database, whole)
    suite.one("nobody shows the password", not any(PASSWORD in s for s in said), [s for s in said if PASSWORD in s][:1])


def runs(suite, trackway, server, database, whole):
    bench = os.path.join(os.path.dirname(__file__), "..", "..", "data", "bench", "run")
    server.ask(database, "CREATE OR REPLACE FUNCTION ledger.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2'")
    status, out, err = trackway("ledger", "add", bench)
    suite.one("a schema without runs says what to do", status == 3 and "upgrade" in err, out + err)
    server.ask(database, "CREATE OR REPLACE FUNCTION ledger.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 3'")
    status, first, err = trackway("ledger", "add", bench)
    suite.one("a benchmark is sealed", status == 0 and first.endswith(" small\n"), first + err)
    status, again, err = trackway("ledger", "add", bench)
    suite.one("once", status == 0 and again == first and "already there" in err, again + err)
    status, out, err = whole()
    suite.one("and is whole", status == 0 and "1 benchmark" in out, out + err)
    status, out, err = trackway("ledger", "list", "--kind", "bench", "--json")
    suite.one("with its figures", status == 0 and '"tokens_in":168' in out, out + err)
    status, out, err = trackway("ledger", "erase", "small", "--reason", "asked for", "--force")
    suite.one("its bytes can be erased", status == 0 and "erased 9 objects" in err, out + err)
    status, out, err = whole()
    suite.one("and it stays whole", status == 0 and " erased" in out, out + err)


def proofs(suite, trackway, home):
    prefix = os.path.join(home, "proof")
    status, out, err = trackway("ledger", "prove", "w3-2", "-o", prefix)
    suite.one("prove writes a proof", status == 0 and os.path.exists(prefix + ".tlog-proof"), out + err)
    status, out, err = suite.trackway(home, "ledger", "verify", "--proof", prefix + ".tlog-proof", "--entry", prefix + ".entry",
                                      "--vkey", os.path.join(home, "vkey"))
    suite.one("which holds without the database", status == 0, out + err)


def export(suite, trackway, server, database, home):
    static = os.path.join(home, "static")
    status, out, err = trackway("ledger", "publish", static)
    suite.one("publish writes static files", status == 0 and os.path.exists(os.path.join(static, "checkpoint")), out + err)
    status, out, err = suite.trackway(home, "ledger", "verify", "--ledger", static, "--vkey", os.path.join(home, "vkey"))
    suite.one("which verify finds whole", status == 0, out + err)
    held = server.ask(database, "SELECT checkpoint FROM ledger.head WHERE origin = 'suite.example/trials'")
    with open(os.path.join(static, "checkpoint")) as f:
        suite.one("under the same checkpoint", f.read().strip() == held, held)


# What a superuser does with triggers off, and how it is undone.
EDITS = [
    ("an entry changed", "UPDATE ledger.entry SET entry = overlay(entry PLACING 'X' FROM 20) WHERE idx = 3"),
    ("an entry with its leaf changed",
     "UPDATE ledger.entry SET entry = 'x', leaf = sha256('\\x0078'::bytea) WHERE idx = 3"),
    ("an entry deleted", "DELETE FROM ledger.entry WHERE idx = 4"),
    ("a hash of the tree changed", "UPDATE ledger.entry SET leaf = sha256('x') WHERE idx = 5"),
    ("an object deleted", "DELETE FROM ledger.object WHERE ctid = (SELECT min(ctid) FROM ledger.object)"),
    ("the checkpoint's root changed", "UPDATE ledger.head SET checkpoint = replace(checkpoint, E'\\n41\\n', E'\\n40\\n')"),
]


def edited(suite, trackway, server, database, whole):
    bad = []
    for title, sql in EDITS:
        # In a copy: what was destroyed cannot be brought back by its own triggers.
        copy = server.database("edited")
        server.ask("postgres", f"DROP DATABASE {copy}; CREATE DATABASE {copy} TEMPLATE {database}")
        server.ask(copy, "SET client_min_messages = error; ALTER TABLE ledger.entry DISABLE TRIGGER ALL; "
                         "ALTER TABLE ledger.object DISABLE TRIGGER ALL; ALTER TABLE ledger.head DISABLE TRIGGER ALL; " + sql)
        status, out, err = trackway("ledger", "verify", "--ledger", server.url(copy), "--json")
        if status == 0:
            bad.append((title, "was not found"))
        elif status not in (1, 3) or "LG" not in out + err:
            bad.append((title, f"exit {status}: {(out + err)[-200:]}"))
    suite.check("verify finds what a superuser did behind the triggers' back", bad, len(EDITS))
    status, out, err = whole()
    suite.one("and the ledger they were copied from is whole still", status == 0, out + err)

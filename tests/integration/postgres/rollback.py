"""Older copies: a dump that is put back, a standby that lagged and was promoted. The key remembers what it has signed."""

import subprocess

import harness
from server import programs


def dump(server, database):
    done = subprocess.run([f"{programs()}/pg_dump", server.url(database)], env=server.environment, capture_output=True,
                          timeout=120 * harness.SLOWER)
    if done.returncode:
        raise harness.Broken(done.stderr.decode())
    return done.stdout.decode()


def restore(server, text):
    database = server.database("restored")
    server.ask(database, text)
    return server.url(database)


def run(suite):
    server = suite.main
    database, url, keys = suite.fresh("rollback")
    suite.do(keys, "append", url, "t", 5, 5)
    suite.do(keys, "publish", url)
    old = dump(server, database)
    suite.do(keys, "append", url, "more", 4, 4)
    suite.do(keys, "publish", url)

    back = restore(server, old)
    bad = []
    for step in (("append", back, "x", 1, 1), ("publish", back), ("head", back)):
        status, _, err = suite.drive(keys, *step)
        if status != 3 or "E_ROLLBACK" not in err:
            bad.append((step[0], f"exit {status}: {err}"))
    suite.check("an older copy takes nothing more", bad, 3)
    suite.one("who cannot sign reads it, and cannot know", suite.do("-", "read", back).strip() == "5 fits", "does not read")

    # Somebody who cannot sign fills it up with other entries, past what was signed.
    suite.do("-", "append", back, "other", 9, 9)
    status, _, err = suite.drive(keys, "publish", back)
    suite.one("one that went another way is a fork", status == 3 and "E_FORK" in err, err)
    other = suite.directory("other-keys")
    status, _, err = suite.drive(other, "publish", back)
    suite.one("a key without a memory goes by the checkpoint", status == 0, err)

    whole = restore(server, dump(server, database))
    suite.do(keys, "append", whole, "further", 2, 2)
    suite.do(keys, "publish", whole)
    suite.one("a whole copy goes on", suite.do(keys, "read", whole).strip() == "11 fits", "it does not")
    edited(suite, server, keys)
    commands(suite, server)
    promoted(suite)


def edited(suite, server, keys):
    """Rows that a superuser changed are not signed, whether they were signed before or not."""
    cases = [
        ("an entry that is signed already", "UPDATE ledger.entry SET leaf = sha256('x') WHERE idx = 4", "E_FORK"),
        ("a hash of the tree", "UPDATE ledger.node SET hash = sha256('x') WHERE level = 2 AND n = 0", "E_FORK"),
        ("an entry that is not signed yet", "UPDATE ledger.entry SET entry = 'x' WHERE idx = 6", "do not give the root"),
        ("an entry that is gone", "DELETE FROM ledger.entry WHERE idx = 6", "entry 6 is not in the database"),
        ("the head's root", "UPDATE ledger.head SET root = sha256('x')", "do not give the root"),
        ("the checkpoint", "UPDATE ledger.head SET checkpoint = replace(checkpoint, E'\\n5\\n', E'\\n4\\n')", "checkpoint"),
    ]
    bad = []
    for title, sql, why in cases:
        database, url, own = suite.fresh("edited")
        suite.do(own, "append", url, "t", 5, 5)
        suite.do(own, "publish", url)
        suite.do(own, "append", url, "u", 3, 3)
        server.ask(database, "".join(f"ALTER TABLE ledger.{t} DISABLE TRIGGER ALL;" for t in ("entry", "node", "head")) + sql)
        status, _, err = suite.drive(own, "publish", url)
        if status != 3 or why not in err:
            bad.append((title, f"exit {status}: {err}"))
    suite.check("what was changed behind its back is not signed", bad, len(cases))


def commands(suite, server):
    """The same, as users see it."""
    database, home = server.database("users"), suite.directory("users-home")
    url, records = server.url(database), suite.directory("users-records")
    suite.trackway(home, "ledger", "init", "--origin", "suite.example/users", "--ledger", url)
    suite.trackway(home, "ledger", "add", suite.record(records, "a"), "--ledger", url)
    old = dump(server, database)
    suite.trackway(home, "ledger", "add", suite.record(records, "b"), "--ledger", url)
    back = restore(server, old)
    status, out, err = suite.trackway(home, "ledger", "add", suite.record(records, "c"), "--ledger", back)
    suite.one("add refuses an older copy", status == 3 and "E_ROLLBACK" in err, f"exit {status}: {out}{err}")
    status, out, err = suite.trackway(home, "ledger", "fsck", "--ledger", back)
    suite.one("fsck finds it out", status in (1, 3) and ("LG" in out + err or "E_ROLLBACK" in err), f"exit {status}: {out}{err}")
    status, out, err = suite.trackway(home, "ledger", "verify", "--ledger", url)
    suite.one("and the newer one whole", status == 0, f"exit {status}: {out}{err}")


def promoted(suite):
    primary = suite.server("primary", ["wal_level=replica", "max_wal_senders=4"])
    primary.start()
    database, url, keys = suite.fresh("primary", primary)
    suite.do(keys, "append", url, "t", 5, 5)
    suite.do(keys, "publish", url)
    standby = suite.server("standby", ["wal_level=replica", "hot_standby=on"], copy_of=primary)
    standby.start()
    there = standby.url(database)
    status, _, err = suite.drive(keys, "append", there, "x", 1, 1)
    suite.one("a standby takes no entries", status == 3 and "standby" in err, err)
    standby.stop()
    suite.do(keys, "append", url, "more", 3, 3)
    suite.do(keys, "publish", url)
    primary.stop("immediate")
    standby.start()
    standby.server_program("pg_ctl", "-w", "-D", standby.data, "promote")
    status, _, err = suite.drive(keys, "append", there, "x", 1, 1)
    suite.one("a standby that lagged and was promoted is a rollback", status == 3 and "E_ROLLBACK" in err, err)

"""A writer who bypasses the program: what is no entry, what is there already under another ident, a lock that is held.
And ledgers whose schema version 0.1 made: read, written to with a word, upgraded."""

import json
import subprocess

import harness

ORIGIN = "suite.example/log"
# What the schema of version 0.1 had in place of today's: an append that reads nothing.
OLD = """
CREATE OR REPLACE FUNCTION ledger.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
DO $do$
DECLARE
  was text := pg_get_functiondef('ledger.append(text, bytea[], bytea[], bytea[])'::regprocedure);
BEGIN
  EXECUTE replace(was, 'PERFORM ledger.check_entries(p_ident, p_digest, p_entry);', '');
END $do$;
DROP FUNCTION ledger.check_entries(bytea[], bytea[], bytea[]);
DROP FUNCTION ledger.read_entry(bytea);
DROP FUNCTION ledger.is_ref(json);
"""


def entry(**more):
    """A trial as the program writes it, with some members changed (None: left out)."""
    e = {"completeness": "complete", "experiment": "e", "id": "x-1", "kind": "trial",
         "record": {"alg": "sha256", "hex": "a" * 64, "media": "application/vnd.trial-record+json", "size": 3},
         "sealed_at": "2026-07-01T10:00:00.000Z", "v": "ledger-entry/v1"}
    e.update(more)
    return text({k: v for k, v in e.items() if v is not None})


def text(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


REF = {"index": 0, "leaf": "b" * 64, "trial_id": "t"}
NO_ENTRIES = [
    ("no JSON", "hello"),
    ("no object", "[1]"),
    ("an object of something else", "{}"),
    ("another version", entry(v="ledger-entry/v2")),
    ("an unknown kind", entry(kind="secret")),
    ("a kind that is a number", entry(kind=1)),
    ("no id", entry(id=None)),
    ("an id that is empty", entry(id="")),
    ("an id that is a number", entry(id=7)),
    ("an experiment that is a list", entry(experiment=[])),
    ("no time", entry(sealed_at=None)),
    ("a trial without its record", entry(record=None)),
    ("a trial without its completeness", entry(completeness=None)),
    ("a digest in capitals", entry(record={"alg": "sha256", "hex": "A" * 64, "size": 3})),
    ("a digest of another kind", entry(record={"alg": "md5", "hex": "a" * 64, "size": 3})),
    ("a size below nothing", entry(record={"alg": "sha256", "hex": "a" * 64, "size": -1})),
    ("a review of nothing", entry(kind="review")),
    ("a reference without a leaf", entry(kind="review", ref={"index": 0, "trial_id": "t"})),
    ("a reference to no place", entry(kind="review", ref={**REF, "index": "0"})),
    ("an erasure without a reason", entry(kind="erase", ref=REF)),
    ("a supersession by nothing", entry(kind="supersede", ref=REF, reason="r")),
    ("a member twice", entry()[:-1] + ',"v":"ledger-entry/v1"}'),
    ("members in another order", text({"v": "ledger-entry/v1"})[:-1] + "," + entry(v=None)[1:]),
    ("a NUL in a text", entry(id="a\0b")),
]


def append(value, ident=None, digest="decode(repeat('aa', 32), 'hex')"):
    """SQL of a writer who calls the function himself."""
    quoted = value.replace("'", "''")
    return (f"SELECT a.o_outcome FROM (SELECT convert_to('{quoted}', 'UTF8') AS e) AS t, LATERAL "
            f"ledger.append('{ORIGIN}', ARRAY[{ident or 'sha256(e)'}], ARRAY[{digest}], ARRAY[e]) AS a")


def ident(*parts):
    return "sha256(decode('" + "\0".join(parts).encode().hex() + "', 'hex'))"


def run(suite):
    server = suite.main
    home = suite.directory("hostile-home")
    database = server.database("hostile")
    url = server.url(database)
    must(suite, home, "ledger", "init", "--origin", ORIGIN, "--ledger", url)
    must(suite, home, "ledger", "add", suite.record(home, "t-1"), "--ledger", url)
    server.ask(database, "DROP ROLE IF EXISTS mallory; CREATE ROLE mallory LOGIN; GRANT ledger_writer TO mallory")
    refused(suite, server, database)
    held(suite, server, database, home, url)
    old(suite, server, home)


def must(suite, home, *words):
    status, out, err = suite.trackway(home, *words)
    if status:
        raise harness.Broken(f"{' '.join(words[:2])}: exit {status}: {err[-300:]}")
    return out


def refused(suite, server, database):
    bad = []
    for title, value in NO_ENTRIES:
        good, said = server.psql(database, append(value, ident("trial", "e", "x-1")), user="mallory")
        if good or "ERROR:  22" not in said:
            bad.append((title, said[-200:] or "went through"))
    suite.check("what is no entry is not appended", bad, len(NO_ENTRIES))
    good, said = server.psql(database, append(entry(experiment="e-1", id="t-1"), "sha256('another')"), user="mallory")
    suite.one("a trial under another name than its own is refused", not good and "22023" in said, said[-200:])
    good, said = server.psql(database, append(entry(), ident("trial", "e", "x-1"), "sha256('x')"), user="mallory")
    suite.one("and one with another digest", not good and "22023" in said, said[-200:])
    mine = server.ask(database, "SELECT convert_from(entry, 'UTF8') FROM ledger.entry WHERE idx = 0")
    again = {**json.loads(mine), "sealed_at": "2020-01-01T00:00:00.000Z"}
    again["record"] = {**again["record"], "hex": "a" * 64}
    good, said = server.psql(database, append(text(again), ident("trial", again["experiment"], "t-1")), user="mallory")
    suite.one("a second one of the same trial is a conflict", good and said == "2", said[-200:])
    size = server.ask(database, "SELECT sum(size) FROM ledger.head")
    suite.one("and nothing of all that is there", size == "1", size)


def held(suite, server, database, home, url):
    """Somebody sleeps in a transaction: a word is said while there is hope."""
    sleeper = subprocess.Popen(["psql", "-X", "-q", server.url(database, user="mallory")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=server.environment)
    sleeper.stdin.write(("BEGIN;" + append(entry(), ident("trial", "e", "x-1")) + "; SELECT pg_sleep(7); ROLLBACK;\n").encode())
    sleeper.stdin.close()
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(7)%' AND wait_event = 'PgSleep'"
    for _ in range(200):
        if server.ask(database, waiting) == "1":
            break
    status, _, err = suite.trackway(home, "ledger", "add", suite.record(home, "t-2"), "--ledger", url)
    sleeper.wait()
    suite.one("who waits for a lock is told so, and gets it in the end",
              status == 0 and "another session holds the log: waiting" in err, f"exit {status}: {err[-300:]}")


def old(suite, server, home):
    """A schema of version 0.1, with what a writer could put there."""
    database = server.database("hostile_old")
    url = server.url(database)
    must(suite, home, "ledger", "init", "--origin", "suite.example/old", "--ledger", url)
    server.ask(database, OLD)
    path = suite.record(home, "o-1")
    status, _, err = suite.trackway(home, "ledger", "add", path, "--ledger", url)
    suite.one("a schema of version 0.1 is written to, with a word", status == 0 and "trackway ledger init" in err, err[-300:])
    status, out, err = suite.trackway(home, "ledger", "verify", "--ledger", url)
    suite.one("and verifies", status == 0, out[-300:] + err[-300:])
    sql = append("hello").replace(ORIGIN, "suite.example/old")
    server.ask(database, sql)
    status, _, err = suite.trackway(home, "ledger", "add", suite.record(home, "o-2"), "--ledger", url)
    suite.one("what is no entry is not signed", status == 3 and "entry 1 is not signed" in err, f"exit {status}: {err[-300:]}")
    must(suite, home, "ledger", "list", "--ledger", url)
    status, out, err = suite.trackway(home, "ledger", "fsck", "--accept-pending", "--ledger", url)
    suite.one("unless its owner says so; then it is named", status == 1 and "LG010" in out, f"exit {status}: {out[-300:]}{err[-300:]}")
    for _ in range(2):
        status, out, err = suite.trackway(home, "ledger", "list", "--ledger", url)
        suite.one("a list passes over it and names it", status == 0 and "o-1" in out and "o-2" in out and
                  "entry 1 of the main log is passed over" in err, f"exit {status}: {out[-300:]}{err[-300:]}")
    status, out, err = suite.trackway(home, "ledger", "prove", "o-1", "-o", "o", "--ledger", url)
    suite.one("and other trials are proven", status == 0, err[-300:])
    first = server.ask(database, "SELECT convert_from(entry, 'UTF8') FROM ledger.entry WHERE idx = 0 AND entry LIKE '%o-1%'")
    twice = text({**json.loads(first), "sealed_at": "2020-01-01T00:00:00.000Z"})
    server.ask(database, append(twice, "sha256('twice')").replace(ORIGIN, "suite.example/old"))
    status, _, err = suite.trackway(home, "ledger", "add", suite.record(home, "o-3"), "--ledger", url)
    suite.one("nor is a trial signed twice", status == 3 and "an earlier entry has the same kind" in " ".join(err.split()),
              f"exit {status}: {err[-300:]}")
    status, _, err = suite.trackway(home, "ledger", "init", "--upgrade", "--ledger", url)
    suite.one("the schema is upgraded", status == 0 and "version 3 now" in err, err[-300:])
    status, _, err = suite.trackway(home, "ledger", "init", "--upgrade", "--ledger", url)
    suite.one("once", status == 0 and "version 3 already" in err, err[-300:])
    good, said = server.psql(database, sql.replace("sha256(e)", "sha256('more')"))
    suite.one("and takes no more of it", not good, said[-200:])
    wrong = server.ask(database, "SELECT count(*) FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.pronamespace = "
                                 "'ledger'::regnamespace AND (r.rolname <> 'ledger_owner' OR r.rolcanlogin)")
    suite.one("its functions belong to an owner who cannot log in", wrong == "0", wrong)

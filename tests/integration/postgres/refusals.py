"""Rows stay: UPDATE, DELETE and TRUNCATE are refused by right, and by trigger to those who have the right."""

import hostile

ORIGIN = "suite.example/log"
CHANGES = {
    "head": "size = 0",
    "entry": "entry = 'x'",
    "ident": "idx = 0",
    "node": "hash = sha256('x')",
    "object": "data = 'x'",
    "erased": "by_idx = 1",
}
STATEMENTS = ("UPDATE ledger.{0} SET {1}", "DELETE FROM ledger.{0}", "TRUNCATE ledger.{0}")
# Who, what comes before the statement, and the SQLSTATE that refuses.
WHO = [
    ("a writer", "SET ROLE ledger_writer;", "42501"),
    ("a publisher", "SET ROLE ledger_publisher;", "42501"),
    ("an auditor", "SET ROLE ledger_auditor;", "42501"),
    ("an eraser", "SET ROLE ledger_eraser;", "42501"),
    ("the owner", "SET ROLE ledger_owner;", "23001"),
    ("a superuser", "", "23001"),
    ("a superuser who says he replicates", "SET session_replication_role = replica;", "23001"),
]


def run(suite):
    server = suite.main
    database, url, keys = suite.fresh("refusals")
    suite.do(keys, "append", url, "t", 9, 9)
    suite.do(keys, "erase", url, "t-1")
    suite.do(keys, "publish", url)
    before = dump(server, database)
    statements = [s.format(t, c) for t, c in CHANGES.items() for s in STATEMENTS]
    for who, role, state in WHO:
        _, said = server.psql(database, role + ";\n".join(statements) + ";", to_the_end=True)
        errors = [line for line in said.split("\n") if "ERROR: " in line]
        bad = [("it", line) for line in errors if f"ERROR:  {state}" not in line]
        if len(errors) != len(statements):
            bad.append(("it", f"{len(errors)} of {len(statements)} refused"))
        suite.check(f"{who} changes nothing", bad, len(statements))
    moves(suite, server, database)
    erasing(suite, server, database)
    others(suite, server, database)
    suite.one("after all that every row is as it was", dump(server, database) == before, "rows differ")
    obstacles(suite, server, database)


def dump(server, database):
    return server.ask(database, "; ".join(f"SELECT * FROM ledger.{t} ORDER BY 1, 2, 3" for t in CHANGES))


def moves(suite, server, database):
    """The owner himself moves a head only forward, and only to what is there."""
    bad = []
    for change in ("origin = 'other'", "vkey = 'x'", "size = size - 1", "size = size + 1", "published = published - 1",
                   "root = sha256('x')", "checkpoint = 'x'", "published = published + 1"):
        good, said = server.psql(database, f"UPDATE ledger.head SET {change}")
        if good:
            bad.append((change, "went through"))
        elif "23001" not in said and "23514" not in said:
            bad.append((change, said[-200:]))
    suite.check("a head goes only forward, to entries that are there", bad, 8)


def erasing(suite, server, database):
    """Naming an entry is not enough: it must erase this very object."""
    some = "(SELECT sha256 FROM ledger.object ORDER BY sha256 LIMIT 1)"
    by = server.ask(database, "SELECT by_idx FROM ledger.erased")
    bad = []
    for sql in (f"SET ledger.erase_by = '{by}'; DELETE FROM ledger.object WHERE sha256 = {some}",
                "SET ledger.erase_by = '0'; DELETE FROM ledger.object",
                f"SELECT ledger.erase_object('{ORIGIN}', {some}, {by})",
                f"SELECT ledger.erase_object('{ORIGIN}', {some}, 0)",
                f"SELECT ledger.erase_object('{ORIGIN}', {some}, 99999)"):
        good, said = server.psql(database, sql)
        if good or "23001" not in said:
            bad.append((sql[:60], said[-200:]))
    suite.check("no object goes without an entry that erases it", bad, 5)


def obstacles(suite, server, database):
    """What a writer could append to a schema of version 0.1 does not keep an artifact from being erased."""
    server.ask(database, hostile.OLD)
    name = server.ask(database, f"SELECT ledger.put_objects('{ORIGIN}', ARRAY['body'::bytea]); SELECT encode(sha256('body'), 'hex')")
    name = name.split()[-1]
    ref = '"ref":{"index":0}'
    for text in ("{" + name,
                 f'{{"record":{{"hex":"\\u0000 {name}"}}}}',
                 f'{{"record":{{"hex":"{name}"}},"ref":{{"index":"x"}}}}',
                 f'{{"record":{{"hex":"{name}"}},{ref}}}',
                 f'{{"kind":"erase",{ref},"v":"ledger-entry/v1"}}'):
        server.ask(database, f"SELECT ledger.append('{ORIGIN}', ARRAY[sha256(e)], ARRAY[sha256(e)], ARRAY[e]) "
                             f"FROM (SELECT convert_to('{text}', 'UTF8') AS e) AS t")
    good, said = server.psql(database, f"SELECT ledger.erase_object('{ORIGIN}', decode('{name}', 'hex'), "
                                       "(SELECT max(idx) FROM ledger.entry))")
    suite.one("nothing that is appended keeps an object from being erased", good, said[-300:])


def others(suite, server, database):
    """What does not fit is not taken."""
    a = "ARRAY[sha256('a')]"
    whole = hostile.entry().replace("'", "''")
    x = f"ARRAY[convert_to('{whole}', 'UTF8')]"
    mine = f"ARRAY[{hostile.ident('trial', 'e', 'x-1')}]"
    its = "ARRAY[decode(repeat('aa', 32), 'hex')]"
    longest = f"ARRAY[convert_to(replace('{whole}', 'application', repeat('x', 65536)), 'UTF8')]"
    bad = []
    for title, sql, state in (
        ("an origin that is none", f"SELECT ledger.append('nobody', {mine}, {its}, {x})", "P0002"),
        ("fewer digests", f"SELECT ledger.append('{ORIGIN}', {mine}, '{{}}', {x})", "22023"),
        ("an entry that is NULL", f"SELECT ledger.append('{ORIGIN}', {a}, {a}, ARRAY[NULL]::bytea[])", "22023"),
        ("entries that are counted from 0",
         f"SELECT ledger.append('{ORIGIN}', ARRAY[sha256('a'), i.ident], ARRAY[sha256('a'), i.digest], '[0:1]={{x,y}}'::bytea[]) "
         "FROM (SELECT * FROM ledger.ident LIMIT 1) AS i", "22023"),
        ("entries in a table", f"SELECT ledger.append('{ORIGIN}', {a}, {a}, '{{{{x}}}}'::bytea[])", "22023"),
        ("an entry that is too long", f"SELECT ledger.append('{ORIGIN}', {mine}, {its}, {longest})", "23514"),
        ("a digest that is none", f"SELECT ledger.append('{ORIGIN}', {mine}, ARRAY['x']::bytea[], {x})", "22023"),
        ("a checkpoint of another root", f"SELECT ledger.publish('{ORIGIN}', 10, 10, E'{ORIGIN}\\n10\\nAAAA\\n\\nx')", "22023"),
        ("a checkpoint of what is not there", f"SELECT ledger.publish('{ORIGIN}', 10, 99, E'{ORIGIN}\\n99\\nAAAA\\n\\nx')", "22023"),
        ("a checkpoint of another log", f"SELECT ledger.publish('{ORIGIN}', 10, 10, E'other\\n10\\nAAAA\\n\\nx')", "22023"),
        ("a cosigned checkpoint of another text",
         f"SELECT ledger.cosign('{ORIGIN}', checkpoint, replace(checkpoint, E'\\n10\\n', E'\\n11\\n')) FROM ledger.head", "23001"),
        ("an object under another digest", "INSERT INTO ledger.object VALUES ('o', sha256('a'), 'b')", "23514"),
    ):
        good, said = server.psql(database, sql)
        if good or f"ERROR:  {state}" not in said:
            bad.append((title, said[-200:]))
    suite.check("what does not fit is not taken", bad, 12)

"""Roles: who may append, publish, read, erase, and nothing else; a schema made by somebody who may not make roles."""

ORIGIN = "suite.example/log"


def run(suite):
    server = suite.main
    database, url, keys = suite.fresh("roles")
    suite.do(keys, "append", url, "t", 5, 5)
    suite.do(keys, "publish", url)
    server.ask(database, "".join(
        f"DROP ROLE IF EXISTS only_{r}; CREATE ROLE only_{r} LOGIN; GRANT ledger_{r} TO only_{r};"
        for r in ("writer", "publisher", "auditor", "eraser")) + "DROP ROLE IF EXISTS nobody; CREATE ROLE nobody LOGIN;")
    as_ = lambda who: server.url(database, user=f"only_{who}")

    out = suite.do("-", "append", as_("writer"), "w", 3, 2)
    suite.one("a writer appends", [line.split()[0] for line in out.strip().split("\n")] == ["added"] * 3, out)
    cases = [
        ("a writer without the key", "-", ("publish", as_("writer")), "E_NO_KEY"),
        ("a writer with the key", keys, ("publish", as_("writer")), "42501"),
        ("an auditor who appends", "-", ("append", as_("auditor"), "x", 1, 1), "42501"),
        ("an auditor who publishes", keys, ("publish", as_("auditor")), "42501"),
        ("a publisher who appends", "-", ("append", as_("publisher"), "x", 1, 1), "42501"),
        ("an eraser who appends", "-", ("append", as_("eraser"), "x", 1, 1), "42501"),
        ("somebody else", "-", ("head", server.url(database, user="nobody")), "42501"),
    ]
    bad = []
    for title, with_keys, words, state in cases:
        status, _, err = suite.drive(with_keys, *words)
        if status != 3 or state not in err or "= help: " not in err and state == "42501":
            bad.append((title, err[-300:] or f"exit {status}"))
    suite.check("who has no right is told which role has it", bad, len(cases))

    suite.do(keys, "publish", as_("publisher"))
    suite.one("a publisher publishes", server.ask(database, "SELECT size = published FROM ledger.head") == "t", "not published")
    suite.one("an auditor reads it all", suite.do("-", "read", as_("auditor")).strip() == "8 fits", "does not fit")
    functions(suite, server, database)
    administered(suite, server)
    humble(suite, server)


def administered(suite, server):
    """An administrator runs the schema; who may write and publish, and nothing more, makes the ledger and adds to it."""
    database, home = server.database("administered"), suite.directory("administered-home")
    status, sql, err = suite.trackway(home, "ledger", "init", "--sql")
    good, said = server.psql(database, f"BEGIN;{sql}COMMIT;" if status == 0 else "")
    suite.one("the schema can be printed and run", status == 0 and good and "CREATE SCHEMA" in sql, err + said)
    server.ask(database, "DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN; GRANT ledger_writer, ledger_publisher TO clerk")
    url = server.url(database, user="clerk")
    status, _, err = suite.trackway(home, "ledger", "init", "--origin", "suite.example/clerk", "--ledger", url)
    suite.one("a clerk makes a ledger in it", status == 0, err)
    path = suite.record(home, "t-1")
    for title in ("and adds a record", "twice"):
        status, out, err = suite.trackway(home, "ledger", "add", path, "--ledger", url)
        suite.one(title, status == 0, out + err)
    said = server.ask(database, "SELECT sum(size), sum(published) FROM ledger.head")
    suite.one("which is there once", said == "1|1", said)


def functions(suite, server, database):
    """Everything that lends its owner's rights belongs to a role that cannot log in."""
    sql = "SELECT count(*) FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.pronamespace = 'ledger'::regnamespace "
    wrong = server.ask(database, sql + "AND (r.rolname <> 'ledger_owner' OR r.rolcanlogin)")
    suite.one("functions belong to an owner who cannot log in", wrong == "0", wrong)
    lent = server.ask(database, sql + "AND p.prosecdef AND NOT 'search_path=pg_catalog, pg_temp' = ANY (p.proconfig)")
    suite.one("and fix where names are looked up", lent == "0", lent)
    public = server.ask(database, "SELECT count(*) FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace "
                                  "AND has_function_privilege('nobody', oid, 'EXECUTE')")
    suite.one("nobody may call them just so", public == "0", public)


def humble(suite, server):
    """Without the right to make roles there is a ledger all the same, and a word about it."""
    database = server.database("humble")
    server.ask("postgres", f"DROP ROLE IF EXISTS humble; CREATE ROLE humble LOGIN; ALTER DATABASE {database} OWNER TO humble")
    # The roles are the cluster's: as if it had none.
    names = ("owner", "writer", "publisher", "auditor", "eraser")
    for r in names:
        server.ask("postgres", f"ALTER ROLE ledger_{r} RENAME TO away_{r}")
    keys, url = suite.directory("humble-keys"), server.url(database, user="humble")
    try:
        status, _, err = suite.drive(keys, "make", url)
        suite.one("who may not make roles is warned, and has his ledger", status == 0 and
                  err.count("cannot be created by humble") == 5, err)
        suite.do(keys, "append", url, "t", 3, 3)
        suite.do(keys, "publish", url)
        suite.one("and can use it", suite.do(keys, "read", url).strip() == "3 fits", "does not fit")
        good, said = server.psql(database, "UPDATE ledger.entry SET entry = 'x'", user="humble")
        suite.one("and cannot change a row of it", not good and "23001" in said, said)
    finally:
        for r in names:
            server.ask("postgres", f"ALTER ROLE away_{r} RENAME TO ledger_{r}")

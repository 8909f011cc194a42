"""Servers that could lose commits are refused, and so is a standby, to writers; readers may have it."""

import hostile

LOSING = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


def run(suite):
    second = suite.server("second")
    second.start()
    database, url, keys = suite.fresh("settings", second)
    suite.do(keys, "append", url, "t", 3, 3)
    suite.do(keys, "publish", url)
    home = suite.directory("settings-home")
    status, vkey, err = suite.trackway(home, "ledger", "init", "--origin", "suite.example/settings", "--ledger", url)
    suite.one("a server that keeps commits is taken without a word", status == 0 and "warning" not in err, err)
    bad = []
    for setting in LOSING:
        second.stop()
        second.start(setting)
        for step in ("head", "publish"):
            status, _, err = suite.drive(keys, step, url)
            if status != 3 or setting not in err or "= help: " not in err:
                bad.append((setting, f"exit {status}: {err}"))
        status, out, err = suite.trackway(home, "ledger", "verify", "--ledger", url, "--vkey", vkey)
        if status:
            bad.append((setting, f"a reader is refused: {err}"))
    suite.check("a server that could lose commits is refused to writers", bad, len(LOSING))
    second.stop()
    second.start()
    status, _, err = suite.drive(keys, "append", url + "?options=-c%20synchronous_commit%3Doff", "t", 1, 1)
    suite.one("so is a session", status == 3 and "synchronous_commit=off" in err, err)
    local = url + "?options=-c%20synchronous_commit%3Dlocal"
    suite.one("one that waits for this disk only is taken", suite.drive(keys, "append", local, "u", 1, 1)[0] == 0, "refused")
    durable(suite, second, database)
    bare(suite)


def durable(suite, server, database):
    """Whatever a session would have been content with, its entries wait for the disk."""
    said = server.ask(database, "SET synchronous_commit = off; BEGIN; " + hostile.append(
        hostile.entry(), hostile.ident("trial", "e", "x-1")) + "; SHOW synchronous_commit; COMMIT;")
    suite.one("an entry's transaction waits for the disk", said.split("\n") == ["0", "on"], said)


def bare(suite):
    """Databases without a ledger, and ledgers without a log."""
    server = suite.main
    url, keys = server.url(server.database("bare")), suite.directory("bare-keys")
    status, _, err = suite.drive(keys, "head", url)
    suite.one("a database without a ledger is told so", status == 3 and "ledger init" in err, err)
    suite.do(keys, "make", url)
    status, _, err = suite.drive(keys, "head", url, origin="suite.example/other")
    suite.one("and an origin that is not there", status == 3 and "suite.example/other" in err, err)
    status, _, err = suite.drive(keys, "make", url)
    suite.one("a log is made once", status == 3 and "already" in err, err)
    suite.do(keys, "make", url, origin="suite.example/other")
    suite.one("but another beside it", suite.do(keys, "head", url, origin="suite.example/other").startswith("0 "), "no")

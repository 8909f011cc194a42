"""Writers while sessions and servers are killed: what was acknowledged is there, in its place, and there is no gap."""

import os
import signal
import time

WRITERS, EACH = 8, 500


def victims(server, database):
    said = server.ask("postgres", f"SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()")
    return [int(p) for p in said.split()]


def hurt(suite, server, database, how):
    if how == "server":
        server.kill()
        return
    pids = victims(server, database)
    if not pids:
        return
    pid = suite.random.choice(pids)
    if how == "session":
        server.psql("postgres", f"SELECT pg_terminate_backend({pid})")
    else:
        os.kill(pid, signal.SIGKILL)  # the postmaster then ends all sessions, and recovers


def run(suite):
    server = suite.main
    database, url, keys = suite.fresh("kills")
    running = [suite.start_drive(keys, "append", url, f"w{w}", EACH, 1 + w % 4) for w in range(WRITERS)]
    publishers = busy = 0
    kills = int(os.environ.get("KILLS", "6"))
    for i in range(kills):
        time.sleep(0.1 + suite.random.random() / 5)
        busy += any(p.poll() is None for p in running)
        hurt(suite, server, database, ("session", "process", "session", "server")[i % 4])
        for _ in range(50):  # until it answers again
            if server.psql("postgres", "SELECT 1")[0]:
                break
            time.sleep(0.1)
        publishers += suite.drive(keys, "publish", url)[0] == 0
    suite.note(f"{kills} killed, {busy} of them while writers were at work; published {publishers} times in between")
    suite.one("writers were at work when something was killed", busy >= min(3, kills), busy)
    acknowledged, bad = {}, []
    for w, p in enumerate(running):
        out, err = p.communicate(timeout=300)
        lines = [line for line in out.decode().split("\n") if line]
        acknowledged.update({line.split()[3]: line.split()[1:3] for line in lines})
        if p.returncode or len(lines) != EACH or any(not line.startswith("added ") for line in lines):
            bad.append((f"writer {w}", f"exit {p.returncode} after {len(lines)}: {err.decode()[-300:]}"))
    suite.check("writers come back after a lost connection, and add each entry once", bad, WRITERS)
    count = check(suite, server, database, acknowledged)
    suite.do(keys, "publish", url)
    said = suite.do(keys, "read", url).split()
    suite.one("a reader finds what the checkpoint says", said == [str(count), "fits"], said)


def check(suite, server, database, acknowledged):
    rows = server.ask(database, "SELECT idx, encode(leaf, 'hex'), convert_from(entry, 'UTF8')::json->>'id' "
                                "FROM ledger.entry ORDER BY idx").split("\n")
    rows = [r.split("|") for r in rows]
    gaps = [(r[0], f"where {i} should be") for i, r in enumerate(rows) if int(r[0]) != i]
    suite.check("there is no gap", gaps, len(rows))
    there = {r[2]: r[:2] for r in rows}
    lost = [(k, f"{v} acknowledged, {there.get(k)} there") for k, v in acknowledged.items() if there.get(k) != v]
    suite.check("what was acknowledged is there, in its place", lost, len(acknowledged))
    suite.one("each once", len(there) == len(rows), f"{len(rows) - len(there)} twice")
    size = server.ask(database, "SELECT size FROM ledger.head")
    suite.one("and the head has counted them", size == str(len(rows)), f"{size} of {len(rows)}")
    return len(rows)

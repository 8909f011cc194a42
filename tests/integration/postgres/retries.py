"""What may be tried again is, and what was done is not done twice: failures put into the database, and answers that get lost."""

import socket
import threading

# Numbers are drawn from a sequence, since that does not forget them when a transaction fails.
FAULT = """
CREATE SCHEMA fault;
CREATE SEQUENCE fault.drawn;
CREATE FUNCTION fault.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF nextval('fault.drawn') <= {times} THEN
        {failure};
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER fault AFTER INSERT ON ledger.entry {when} FOR EACH ROW EXECUTE FUNCTION fault.fail();
"""
RAISE = "RAISE EXCEPTION 'put here by the test' USING ERRCODE = '{}'"
NOW, LATE = "NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"
GONE = "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5)"

# Title, what fails, when, how often, whether it goes well in the end, how often it was tried.
CASES = [
    ("a serialization failure", RAISE.format("40001"), NOW, 3, True, 4),
    ("one that shows at the commit", RAISE.format("40001"), LATE, 3, True, 4),
    ("a deadlock", RAISE.format("40P01"), NOW, 2, True, 3),
    ("an outcome that nobody knows", RAISE.format("40003"), NOW, 1, True, 2),
    ("a session that is ended", GONE, NOW, 2, True, 3),
    ("a session that is ended at the commit", GONE, LATE, 2, True, 3),
    ("a full disk", RAISE.format("53100"), NOW, 99, False, 1),
    ("a failure that does not end", RAISE.format("40001"), NOW, 99, False, 16),
]


def run(suite):
    server = suite.main
    bad = []
    for title, failure, when, times, good, tries in CASES:
        database, url, keys = suite.fresh("retries")
        suite.do(keys, "append", url, "before", 2, 2)
        server.ask(database, FAULT.format(failure=failure, when=when, times=times))
        status, out, err = suite.drive(keys, "append", url, "t", 1, 1)
        drawn = server.ask(database, "SELECT last_value FROM fault.drawn")
        size = server.ask(database, "SELECT size || ' ' || (SELECT count(*) FROM ledger.entry) FROM ledger.head")
        if good != (status == 0 and out.startswith("added 2 ")):
            bad.append((title, f"exit {status}: {out}{err}"))
        elif size != ("3 3" if good else "2 2"):
            bad.append((title, f"size and entries are {size}"))
        elif int(drawn) != tries:
            bad.append((title, f"tried {drawn} times"))
        elif not good and "put here by the test" not in err:
            bad.append((title, err))
    suite.check("what may be tried again is, and nothing else", bad, len(CASES))
    lost_answers(suite)


class Losing:
    """Passes everything on, except the answer to the first `times` messages with these words in them: then it hangs up."""

    def __init__(self, port, words, times):
        self.target, self.words, self.left = port, words, times
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        state = {"lost": False}

        def back():
            try:
                while (piece := server.recv(65536)) and not state["lost"]:
                    client.sendall(piece)
            except OSError:
                pass
            for s in (client, server):  # the server has answered, so it has committed
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        threading.Thread(target=back, daemon=True).start()
        try:
            while piece := client.recv(1 << 20):
                if self.left and self.words in piece:
                    self.left -= 1
                    state["lost"] = True
                server.sendall(piece)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def lost_answers(suite):
    """It was committed, and we were not told: it is found there, and is ours."""
    server = suite.main
    database, url, keys = suite.fresh("lost")
    bad = []
    for words, times, step in ((b"ledger.append", 2, ("append", "t", 3, 3)), (b"ledger.put_objects", 2, ("append", "u", 2, 2)),
                               (b"ledger.publish", 1, ("publish",))):
        proxy = Losing(server.port, words, times)
        through = f"postgres://postgres@127.0.0.1:{proxy.port}/{database}?sslmode=disable&gssencmode=disable"
        status, out, err = suite.drive(keys, step[0], through, *step[1:])
        proxy.listener.close()
        if status or proxy.left or any(line.split()[0] != "added" for line in out.strip().split("\n") if line):
            bad.append((words.decode(), f"exit {status}, {proxy.left} not lost: {out}{err}"))
    suite.check("an answer that was lost changes nothing", bad, 3)
    state = server.ask(database, "SELECT size, published, (SELECT count(*) FROM ledger.entry) FROM ledger.head")
    suite.one("each entry is there once, and published", state == "5|5|5", state)
    suite.one("and fits the checkpoint", suite.do(keys, "read", url).strip() == "5 fits", "it does not")

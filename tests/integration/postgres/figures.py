"""Appends per second: one client, sixteen, batches. Only measured, since it is the disk that decides."""

SECONDS = 4


def together(suite, keys, url, clients, batch):
    running = [suite.start_drive(keys, "rate", url, SECONDS, batch) for _ in range(clients)]
    return sum(int(p.communicate(timeout=120)[0] or 0) for p in running)


def run(suite):
    _, url, keys = suite.fresh("figures")
    bad = []
    for clients, batch in ((1, 1), (16, 1), (1, 100), (4, 100), (1, 256)):
        rate = together(suite, keys, url, clients, batch)
        suite.note(f"{clients:3} clients, batches of {batch:3}: {rate:6} entries/s")
        if rate == 0:
            bad.append((f"{clients} x {batch}", "nothing"))
    suite.do(keys, "publish", url)
    size, fits = suite.do(keys, "read", url).split()
    suite.check("all of it fits the checkpoint", bad + ([] if fits == "fits" else [("it", fits)]), int(size))

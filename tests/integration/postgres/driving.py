"""What every set needs: a server, the driver of the engines, and the program with keys of its own."""

import os
import random
import subprocess

import harness
from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
ORIGIN = "suite.example/log"
PASSWORD = "geh-eim"


class Driving(harness.Suite):
    def __init__(self, program, drive):
        super().__init__(program, "../shared")
        self.drive_program = os.path.abspath(drive)
        self.seed = int(os.environ.get("SEED", "1"))
        self.random = random.Random(self.seed)
        self.servers = []
        self.environment = {k: v for k, v in self.environment.items() if not k.startswith(("PG", "XDG_"))}
        os.chmod(self.place, 0o711)  # the server runs as somebody else
        with open(os.path.join(ROOT, "tests/data/trial/full.json")) as f:
            self.record_text = f.read()

    def __exit__(self, *_):
        for s in self.servers:
            s.stop("immediate")
        super().__exit__()

    def server(self, name="server", settings=(), copy_of=None):
        s = Server(self.directory(name), settings, copy_of)
        self.servers.append(s)
        return s

    @property
    def main(self):
        """The server that the sets share; each has databases of its own."""
        if not self.servers:
            self.server("main").start()
        return self.servers[0]

    def one(self, title, condition, why):
        self.check(title, [] if condition else [("it", why)], 1)
        return condition

    # ---- the driver ----

    def start_drive(self, keys, *words, origin=ORIGIN):
        return subprocess.Popen([self.drive_program, keys, origin, *map(str, words)], env=self.environment, cwd=self.place,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def drive(self, keys, *words, origin=ORIGIN):
        """(status, standard output, standard error) as text."""
        p = self.start_drive(keys, *words, origin=origin)
        try:
            out, err = p.communicate(timeout=180 * harness.SLOWER)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            raise harness.Broken(f"the driver did not end: {' '.join(map(str, words[:1]))}") from None
        if p.returncode < 0 or p.returncode in (2, 99):
            raise harness.Broken(f"the driver ended with {p.returncode}: {err[-600:].decode(errors='replace')}")
        return p.returncode, out.decode(), err.decode()

    def do(self, keys, *words, origin=ORIGIN):
        """Standard output of a step that must succeed."""
        status, out, err = self.drive(keys, *words, origin=origin)
        if status:
            raise harness.Broken(f"{words[0]}: {err.strip()}")
        return out

    def fresh(self, name, server=None):
        """A database with an empty log in it: (its name, its URL, the directory of keys)."""
        server = server or self.main
        database = server.database(name)
        url, keys = server.url(database), self.directory(f"{name}-keys")
        self.do(keys, "make", url)
        return database, url, keys

    # ---- the program ----

    def record(self, directory, trial):
        return self.write(directory, f"{trial}.json", self.record_text.replace('"t-001"', f'"{trial}"'))

    def program_environment(self, home, **more):
        return {**self.environment, "HOME": home, "TRACKWAY_KEYS": os.path.join(home, "keys"), **more}

    def start_trackway(self, home, *arguments, **more):
        return subprocess.Popen([self.program, *arguments], env=self.program_environment(home, **more), cwd=home,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def trackway(self, home, *arguments, **more):
        p = self.start_trackway(home, *arguments, **more)
        out, err = p.communicate(timeout=180 * harness.SLOWER)
        return p.returncode, out.decode(), err.decode()

"""A PostgreSQL server of the suite's own: made in a directory, on loopback and a free port, and stopped again."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

import harness

USER = "postgres"  # who runs the server when we are root, which it refuses


def programs():
    """The directory with initdb in it, or None."""
    found = [os.path.dirname(p) for p in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    if found:
        return max(found, key=lambda p: int("0" + "".join(filter(str.isdigit, p.split("/")[-2]))))
    there = shutil.which("initdb")
    return os.path.dirname(os.path.realpath(there)) if there else None


def lacking():
    """What keeps a server from being started here, or None."""
    if not programs():
        return "PostgreSQL's server is not installed (postgresql-15)"
    if not shutil.which("psql"):
        return "psql is not installed (postgresql-client)"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(USER)
        except KeyError:
            return f"there is no user {USER} to run the server as, and root cannot"
        if not shutil.which("setpriv"):
            return "setpriv is not installed (util-linux)"
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


RECOVERING = ("not yet accepting connections", "is starting up", "in recovery mode")

class Server:
    def __init__(self, directory, settings=(), copy_of=None):
        self.directory, self.settings, self.port = directory, list(settings), free_port()
        self.data = os.path.join(directory, "data")
        self.log = os.path.join(directory, "log")
        self.databases = 0
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        self.environment.update(LC_ALL="C.UTF-8")
        if os.geteuid() == 0:
            shutil.chown(directory, USER)
        if copy_of:
            self.server_program("pg_basebackup", "-D", self.data, "-d", copy_of.url("postgres"), "-R", "-X", "stream",
                                "-c", "fast", "--no-sync")
        else:
            self.server_program("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync",
                                "--data-checksums", "-D", self.data)

    def server_program(self, name, *arguments, check=True):
        command = [os.path.join(programs(), name), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
        done = subprocess.run(command, cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120 * harness.SLOWER)
        if check and done.returncode:
            raise harness.Broken(f"{name}: {done.stdout[-400:].decode(errors='replace')}")
        return done.returncode == 0

    def start(self, *settings, check=True):
        given = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.directory}",
                 "max_connections=60", *self.settings, *settings]
        return self.server_program("pg_ctl", "-w", "-t", "60", "-D", self.data, "-l", self.log, "-o",
                                   " ".join(f"-c {s}" for s in given), "start", check=check)

    def stop(self, mode="fast"):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            self.server_program("pg_ctl", "-w", "-D", self.data, "-m", mode, "stop", check=False)

    def pid(self):
        with open(os.path.join(self.data, "postmaster.pid")) as f:
            return int(f.readline())

    def kill(self):
        """The postmaster is killed, and started again: what it left is recovered from its log."""
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 30 * harness.SLOWER
        while time.monotonic() < deadline:
            time.sleep(0.05)  # its children notice by themselves, and hold the memory until then
            if not os.path.exists(f"/proc/{pid}") and self.start(check=False):
                return
        raise harness.Broken("the server did not come back after it was killed")

    # ---- databases ----

    def url(self, database, user="postgres", password=None):
        secret = f":{password}" if password else ""
        return f"postgres://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def psql(self, database, sql, user="postgres", to_the_end=False):
        """(whether it went well, what it printed), without decoration; ends at the first error unless told otherwise."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-At", "-v", f"ON_ERROR_STOP={0 if to_the_end else 1}", "-v", "VERBOSITY=verbose",
             self.url(database, user)],
            input=sql.encode(), env=self.environment, capture_output=True, timeout=120 * harness.SLOWER)
        return done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace").strip()

    def ask(self, database, sql):
        """What it printed. A server that recovers, from a killed session too, is waited for."""
        deadline = time.monotonic() + 60 * harness.SLOWER
        good, said = self.psql(database, sql)
        while not good and any(word in said for word in RECOVERING) and time.monotonic() < deadline:
            time.sleep(0.2)
            good, said = self.psql(database, sql)
        if not good:
            raise harness.Broken(f"psql: {said[-400:]}")
        return said

    def database(self, name):
        self.databases += 1
        name = f"{name}{self.databases}"
        self.ask("postgres", f"CREATE DATABASE {name}")
        return name

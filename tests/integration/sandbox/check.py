"""Runs each attack in a sandbox of each level, and holds what it says and what the report says against what must be."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

TRACKWAY = os.path.abspath(os.environ.get("TRACKWAY", "build/trackway"))
HERE = os.path.dirname(os.path.abspath(__file__))
X86 = os.uname().machine == "x86_64"

# name: the call that is in the report at (landlock, bwrap); None: a kind that is told as not seen
DENIED = {
    "daemon": ("", ""), # checked by itself: nobody is left
    "symlinked-log": (None, None),
    "ptrace": ("ptrace", "ptrace"),
    "read-memory": ("process_vm_readv", "process_vm_readv"),
    "environ-of-recorder": (None, None),
    "environ-of-victim": (None, None),
    "environ-of-first": (None, None),
    "memory-of-first": (None, None),
    "kill-parent": ("signals", "signals"),
    "x32": ("x32", "x32"),
    "int80": ("foreign", "foreign"),
    "proc-root": (None, None),
    "proc-first-root": (None, None),
    "read-outside": (None, None),
    "write-outside": (None, None),
    "write-system": (None, None),
    "chmod-outside": (None, None),
    "touch-outside": (None, None),
    "mark-outside": (None, None),
    "read-hidden": (None, None),
    "forge-report": (None, None),
    "read-shadow": (None, None),
    "core-pattern": (None, None),
    "connect-ipv4": ("connect 192.0.2.1:443", "connect 192.0.2.1:443"),
    "connect-ipv6": ("connect [2001:db8::1]:443", "connect [2001:db8::1]:443"),
    "connect-other-port": ("connect 127.0.0.1:", "ports"),
    "racing-connect": ("connect 127.0.0.1:", "ports"),
    "fast-open": ("sendto", "sendto 192.0.2.1:443"),
    "dns-connected": ("socket IPv4 datagram", "connect 192.0.2.1:53"),
    "dns-sendto": ("socket IPv4 datagram", "sendto 192.0.2.1:53"),
    "dns-sendmsg": ("socket IPv4 datagram", "sendmsg"),
    "local-path": ("connect /", None),
    "local-abstract": ("connect @", "connect @"),
    "local-datagram": ("socket local datagram", None),
    "vsock": ("socket family 40", "socket family 40"),
    "packet": ("socket family 17", "socket family 17"),
    "bind-outside": ("bind 192.0.2.1:0", "bind 192.0.2.1:0"),
    "clock": ("clock_settime", "clock_settime"),
    "adjtime": ("adjtimex", "adjtimex"),
    "mount": ("mount", "mount"),
    "user-namespace": ("unshare", "unshare"),
    "module": ("finit_module", "finit_module"),
    "bpf": ("bpf", "bpf"),
    "keyctl": ("keyctl", "keyctl"),
    "perf": ("perf_event_open", "perf_event_open"),
    "io-uring": ("io_uring_setup", "io_uring_setup"),
    "userfaultfd": ("userfaultfd", "userfaultfd"),
    "kexec": ("kexec_load", "kexec_load"),
    "fork-bomb": ("processes", "processes"),
    "much-memory": ("memory", "memory"),
    "big-file": ("file_bytes", "file_bytes"),
}
SAME_USER = ["chmod-outside", "touch-outside", "mark-outside", "ok-chmod"]  # whom the files outside belong to
HONEST = ["ok-port", "ok-child", "ok-read", "ok-write", "ok-chmod", "ok-link", "ok-own-environ", "ok-own-socket", "ok-bind",
          "ok-clock", "ok-threads", "ok-some-memory", "ok-small-file"]
LEVELS = ["landlock", "bwrap"]
results = {"passed": 0, "failed": 0, "skipped": 0}


def tell(kind, name, text=""):
    results[kind] += 1
    if kind != "passed":
        print(f"{kind}: {name}: {text}")


def echo(listener):
    """Says back what it hears, until the tests are over."""
    while True:
        try:
            c, _ = listener.accept()
        except OSError:
            return
        data = c.recv(100)
        c.sendall(data)
        c.close()


class World:
    """What is outside: files, services, a process with a secret."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="sandbox-")
        os.chmod(self.dir, 0o755)
        self.outside, self.task = self.make("outside", 0o777), self.make("task", 0o755)
        self.reports = self.make("reports", 0o700)
        os.makedirs(self.task + "/tests")
        for path in (self.outside + "/secret", self.task + "/tests/secret", self.task + "/seen"):
            with open(path, "w", encoding="ascii") as f:
                f.write("text")
        shutil.copy(HERE + "/attacks.py", self.task + "/attacks.py")
        self.open = []
        self.port, self.other = self.serve(socket.AF_INET, ("127.0.0.1", 0)), self.serve(socket.AF_INET, ("127.0.0.1", 0))
        self.serve(socket.AF_UNIX, self.outside + "/socket")
        os.chmod(self.outside + "/socket", 0o777)
        self.abstract = f"trackway-test-{os.getpid()}"
        self.serve(socket.AF_UNIX, "\0" + self.abstract)
        datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        datagram.bind(self.outside + "/datagram")
        os.chmod(self.outside + "/datagram", 0o777)
        self.open.append(datagram)
        self.victim = subprocess.Popen(["sleep", "600"], env={"SECRET": "outside", "PATH": os.environ["PATH"]})

    def make(self, name, mode):
        path = f"{self.dir}/{name}"
        os.mkdir(path)
        os.chmod(path, mode)
        return path

    def serve(self, family, address):
        s = socket.socket(family)
        s.bind(address)
        s.listen(64)
        self.open.append(s)
        threading.Thread(target=echo, args=(s,), daemon=True).start()
        return s.getsockname()[1] if family == socket.AF_INET else 0

    def close(self):
        self.victim.kill()
        self.victim.wait()
        for s in self.open:
            s.close()
        shutil.rmtree(self.dir)


def read_report(path):
    report = {"denied": [], "unseen": [], "failure": None, "ended": None}
    with open(path, encoding="ascii") as f:
        lines = f.read().splitlines()
    for line in lines:
        words = line.split(" ")
        text = [unescape(w) for w in words[1:]]
        if words[0] == "denied":
            report["denied"].append(text[2] + (" " + text[3] if text[3] != "-" else ""))
        elif words[0] == "unseen":
            report["unseen"].append(text[0])
        elif words[0] == "ended":
            report["ended"] = [int(w) for w in words[1:]]
        elif words[0] in ("failure", "limits"):
            report[words[0]] = text[0]
    return report


def unescape(word):
    out, i = "", 0
    while i < len(word):
        if word[i] == "%":
            out += chr(int(word[i + 1:i + 3], 16))
            i += 3
        else:
            out += word[i]
            i += 1
    return out


def run(world, level, name, *more):
    """The answer of the command, and the report."""
    work = tempfile.mkdtemp(prefix="work-", dir=world.dir)
    report = f"{world.reports}/{level}-{name}"
    words = [TRACKWAY, "__sandbox", "level=" + level, "write=" + work, "in=/workspace", "read=" + world.task,
             "hide=" + world.task + "/tests", "dir=/workspace", "port=ONE_PORT",
             *([] if name in SAME_USER else ["other-user=1"]), "timeout-ms=60000", "report=" + report, *more, "--",
             "python3", "-B", world.task + "/attacks.py", name]
    env = dict(os.environ, ONE_PORT=str(world.port), OTHER_PORT=str(world.other), OUTSIDE=world.outside,
               HIDDEN=world.task, REPORT=report, ABSTRACT=world.abstract, VICTIM=str(world.victim.pid), SECRET="none")
    if name in SAME_USER:  # a Python in a home is one that this user alone would find, and not be shown
        env["PATH"] = os.defpath
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
    shutil.rmtree(work)
    return done, read_report(report)


LIMITS = {"fork-bomb": ["processes=48"], "much-memory": ["memory=314572800"], "big-file": ["file-bytes=4194304"],
          "ok-child": ["processes=48"], "ok-some-memory": ["memory=314572800"], "ok-small-file": ["file-bytes=4194304"]}


def check_attack(world, level, name):
    want = DENIED[name][LEVELS.index(level)]
    done, report = run(world, level, name, *LIMITS.get(name, []))
    said = done.stdout.strip()
    label = f"{level} {name}"
    if report["failure"]:
        return tell("failed", label, report["failure"])
    if name == "daemon":
        if said.startswith("done") and report["ended"][5] == 1 and report["ended"][4] == 1:
            return tell("passed", label)
        return tell("failed", label, f"{said} {report}")
    if name == "bind-outside" and said.startswith("done"):
        return tell("failed", label, said)
    if not said.startswith("refused"):
        return tell("failed", label, f"it said '{said}' {done.stderr.strip()}")
    if world.victim.poll() is not None:
        return tell("failed", label, "the process outside was ended")
    if want == "ports": # its loopback is its own: there is no such port, so nothing was denied
        return tell("passed", label)
    if want is None:
        want = "paths"
    if want in report["unseen"] or any(d.startswith(want) for d in report["denied"]):
        return tell("passed", label)
    return tell("failed", label, f"the report has no '{want}': {report}")


def check_honest(world, level, name):
    done, report = run(world, level, name, *LIMITS.get(name, []))
    if done.stdout.startswith("done") and not report["failure"] and not report["denied"]:
        return tell("passed", f"{level} {name}")
    return tell("failed", f"{level} {name}", f"{done.stdout.strip()} {done.stderr.strip()} {report}")


def works(level):
    with tempfile.TemporaryDirectory() as d:
        done = subprocess.run([TRACKWAY, "__sandbox", "level=" + level, "report=" + d + "/r", "--", "true"],
                              capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        print(f"skipped: {level} does not work here: {done.stderr.strip()}")
        results["skipped"] += 1
    return done.returncode == 0


def main():
    words = sys.argv[1:]
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    world = World()
    try:
        for level in LEVELS:
            if not works(level):
                continue
            for name in list(DENIED) + HONEST:
                if words and not any(w in name or w == level for w in words):
                    continue
                if name in ("x32", "int80") and not X86:
                    tell("skipped", name, "only x86-64 has it")
                elif name.startswith("ok-"):
                    check_honest(world, level, name)
                else:
                    check_attack(world, level, name)
    finally:
        world.close()
    print(f"{results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    return 1 if results["failed"] or not results["passed"] else 0


sys.exit(main())

"""The attacks, as the command inside runs them: python3 attacks.py NAME. Prints "done WHAT" or "refused WHY"."""

import ctypes
import os
import socket
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
INET, INET6, LOCAL = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX
STREAM, DATAGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM


def call(number, *arguments):
    result = LIBC.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def connect(family, kind, address):
    s = socket.socket(family, kind)
    s.settimeout(5)
    s.connect(address)
    return s


def one_port():
    return int(os.environ["ONE_PORT"])


def talk(port):
    s = connect(INET, STREAM, ("127.0.0.1", port))
    s.sendall(b"hello")
    return s.recv(5)


def read(path):
    with open(path, "rb") as f:
        return f.read(4096)


def write(path):
    with open(path, "wb") as f:
        return f.write(b"x")


def serve(address, family=INET):
    s = socket.socket(family, STREAM)
    s.bind(address)
    s.listen(1)
    c = connect(family, STREAM, s.getsockname())
    a, _ = s.accept()
    c.sendall(b"x")
    return a.recv(1)


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return os.wait()[1]


def other_process():
    """A process outside, whose environment has the secret; the number it has there."""
    return os.environ["VICTIM"]


def find_secret():
    """The environments of all processes that are there, but ours."""
    found = b""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            for what in ("environ", "cmdline"):
                try:
                    found += read(f"/proc/{name}/{what}")
                except OSError:
                    pass
    if b"SECRET=outside" not in found:
        raise OSError(1, "nobody's environment has it")
    return "read it"


def symlinked_log():
    """A log that leads out: what is written to it is written as we."""
    os.symlink(os.environ["OUTSIDE"] + "/log", "log")
    return write("log")


def fork_bomb():
    made = 0
    try:
        for _ in range(500):
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            made += 1
    except OSError:
        pass
    if made < 64:
        raise OSError(11, f"{made} processes")
    return made


def much_memory():
    child = subprocess.run([sys.executable, "-c", "x = bytearray(600 << 20)"], stderr=subprocess.DEVNULL, check=False)
    if child.returncode:
        raise OSError(12, "ended")
    return "600 MiB"


def big_file():
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("big", "wb", buffering=0) as f:
        for _ in range(9):
            if f.write(bytes(1 << 20)) < 1 << 20:
                raise OSError(27, "cut")
    return "9 MiB"


def fast_open():
    s = socket.socket(INET, STREAM)
    return s.sendto(b"x", 0x20000000, ("192.0.2.1", 443))


def racing_connect():
    """Changes the address in memory while it is looked at: from the one port to another service of the machine."""
    import threading

    good = bytes(socket.htons(INET).to_bytes(2, "big")) + one_port().to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    bad = good[:2] + int(os.environ["OTHER_PORT"]).to_bytes(2, "big") + good[4:]
    memory = ctypes.create_string_buffer(good, 16)
    over = time.monotonic() + 3
    stop = []

    def change():
        while not stop:
            ctypes.memmove(memory, bad, 16)
            ctypes.memmove(memory, good, 16)

    t = threading.Thread(target=change)
    t.start()
    reached = 0
    while time.monotonic() < over and not reached:
        s = socket.socket(INET, STREAM)
        if LIBC.connect(s.fileno(), memory, 16) == 0:
            try:
                reached = s.getpeername()[1] == int(os.environ["OTHER_PORT"])
            except OSError:
                pass
        s.close()
    stop.append(1)
    t.join()
    if not reached:
        raise OSError(1, "never reached it")
    return "reached it"


def int80():
    """A call of i386 from a program of x86-64: getpid by its other number."""
    import mmap

    code = bytes([0x53, 0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0x5B, 0xC3])
    m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    m.write(code)
    f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
    result = f()
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


ATTACKS = {
    "daemon": daemon,
    "symlinked-log": symlinked_log,
    "ptrace": lambda: call(101 if X86 else 117, 16, int(other_process()), None, None),
    "read-memory": lambda: call(310 if X86 else 270, int(other_process()), None, 0, None, 0, 0),
    "environ-of-recorder": find_secret,
    "environ-of-victim": lambda: read(f"/proc/{other_process()}/environ"),
    "environ-of-first": lambda: read("/proc/1/environ"),
    "memory-of-first": lambda: os.close(os.open("/proc/1/mem", os.O_RDWR)),
    "kill-parent": lambda: os.kill(int(other_process()), 9),
    "x32": lambda: call(0x40000000 + 39),
    "int80": int80,
    "proc-root": lambda: read("/proc/self/root" + os.environ["OUTSIDE"] + "/secret"),
    "proc-first-root": lambda: read("/proc/1/root" + os.environ["OUTSIDE"] + "/secret"),
    "read-outside": lambda: read(os.environ["OUTSIDE"] + "/secret"),
    "write-outside": lambda: write(os.environ["OUTSIDE"] + "/new"),
    "write-system": lambda: write("/etc/new"),
    "chmod-outside": lambda: os.chmod(os.environ["OUTSIDE"] + "/secret", 0o666),
    "touch-outside": lambda: os.utime(os.environ["OUTSIDE"] + "/secret", (1, 1)),
    "mark-outside": lambda: os.setxattr(os.environ["OUTSIDE"] + "/secret", "user.mark", b"1"),
    "read-hidden": lambda: read(os.environ["HIDDEN"] + "/tests/secret"),
    "forge-report": lambda: write(os.environ["REPORT"]),
    "read-shadow": lambda: read("/etc/shadow"),
    "core-pattern": lambda: write("/proc/sys/kernel/core_pattern"),
    "connect-ipv4": lambda: connect(INET, STREAM, ("192.0.2.1", 443)),
    "connect-ipv6": lambda: connect(INET6, STREAM, ("2001:db8::1", 443)),
    "connect-other-port": lambda: talk(int(os.environ["OTHER_PORT"])),
    "racing-connect": racing_connect,
    "fast-open": fast_open,
    "dns-connected": lambda: connect(INET, DATAGRAM, ("192.0.2.1", 53)),
    "dns-sendto": lambda: socket.socket(INET, DATAGRAM).sendto(b"x", ("192.0.2.1", 53)),
    "dns-sendmsg": lambda: socket.socket(INET, DATAGRAM).sendmsg([b"x"], [], 0, ("192.0.2.1", 53)),
    "local-path": lambda: connect(LOCAL, STREAM, os.environ["OUTSIDE"] + "/socket"),
    "local-abstract": lambda: connect(LOCAL, STREAM, "\0" + os.environ["ABSTRACT"]),
    "local-datagram": lambda: socket.socket(LOCAL, DATAGRAM).sendto(b"x", os.environ["OUTSIDE"] + "/datagram"),
    "vsock": lambda: socket.socket(40, STREAM),
    "packet": lambda: socket.socket(17, socket.SOCK_RAW),
    "bind-outside": lambda: socket.socket(INET, STREAM).bind(("192.0.2.1", 0)),
    "clock": lambda: call(227 if X86 else 112, 0, None),
    "adjtime": lambda: call(159 if X86 else 171, None),
    "mount": lambda: call(165 if X86 else 40, b"none", b"/tmp", b"tmpfs", 0, None),
    "user-namespace": lambda: call(272 if X86 else 97, 0x10000000),
    "module": lambda: call(313 if X86 else 273, -1, b"", 0),
    "bpf": lambda: call(321 if X86 else 280, 0, None, 0),
    "keyctl": lambda: call(250 if X86 else 219, 0, 0, 0),
    "perf": lambda: call(298 if X86 else 241, None, 0, -1, -1, 0),
    "io-uring": lambda: call(425, 1, None),
    "userfaultfd": lambda: call(323 if X86 else 282, 1),
    "kexec": lambda: call(246 if X86 else 104, 0, 0, None, 0),
    "fork-bomb": fork_bomb,
    "much-memory": much_memory,
    "big-file": big_file,
    # the honest twins
    "ok-port": lambda: talk(one_port()),
    "ok-child": lambda: subprocess.run(["true"], check=True).returncode,
    "ok-read": lambda: read(os.environ["HIDDEN"] + "/seen"),
    "ok-write": lambda: write("new"),
    "ok-chmod": lambda: (write("new"), os.chmod("new", 0o700), os.utime("new", (1, 1))),
    "ok-link": lambda: (os.symlink("new", "link"), read("link") if os.path.exists("link") else write("link")),
    "ok-own-environ": lambda: read("/proc/self/environ"),
    "ok-own-socket": lambda: serve("own.socket", LOCAL),
    "ok-bind": lambda: socket.socket(INET, STREAM).bind(("127.0.0.1", 0)),
    "ok-clock": time.time,
    "ok-threads": lambda: subprocess.run(
        [sys.executable, "-c", "import threading as t; [t.Thread(target=print).start() for _ in range(9)]"],
        check=True, stdout=subprocess.DEVNULL).returncode,
    "ok-some-memory": lambda: len(bytearray(50 << 20)),
    "ok-small-file": lambda: write("small"),
}


def main():
    try:
        result = ATTACKS[sys.argv[1]]()
    except OSError as e:
        print("refused", e)
        return
    print("done", result)


main()

"""What commands do, as whoever starts them sees it: one line of JSON for each act. Run with and without shims in front
of the programs, the lines must be equal.
usage: acts.py [ACT...]
"""

import fcntl
import hashlib
import json
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

PIPE = subprocess.PIPE
ACTS = {}


def act(f):
    ACTS[f.__name__] = f
    return f


def run(*argv, **options):
    r = subprocess.run(argv, stdin=options.pop("stdin", subprocess.DEVNULL) if "input" not in options else None,
                       stdout=PIPE, stderr=PIPE, timeout=60, check=False, **options)
    return [r.returncode, r.stdout.decode("latin-1"), r.stderr.decode("latin-1")]


def bash(script, **options):
    return run("bash", "-c", script, **options)


@act
def exit_codes():
    return [bash(f"exit {n}")[0] for n in (0, 1, 2, 42, 126, 127, 128, 255)]


@act
def deaths_by_signal():
    return [bash(f"kill -{n} $$")[0] for n in ("TERM", "INT", "KILL", "HUP", "USR1", "PIPE", "ABRT", "SEGV", "ALRM")]


@act
def signals_are_passed_on():
    out = []
    for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
        p = subprocess.Popen(["bash", "-c", f"trap 'echo got; exit 7' {int(n)}; echo ready; while :; do sleep 0.05; done"],
                             stdout=PIPE)
        p.stdout.readline()
        p.send_signal(n)
        out.append([p.stdout.read().decode(), p.wait(20)])
    return out


@act
def a_kill_ends_the_program_too():
    p = subprocess.Popen(["python3", "-c", "import os,time;print(os.getpid(),flush=True);time.sleep(60)"], stdout=PIPE)
    pid = int(p.stdout.readline())
    p.kill()
    status = p.wait(20)
    for _ in range(100):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as f:
                if f.read().split(") ")[1][0] == "Z":
                    return [status, "gone"]
        except (ProcessLookupError, FileNotFoundError):
            return [status, "gone"]
        time.sleep(0.05)
    return [status, "still there"]


@act
def a_reader_that_stops_reading_and_ends_it():
    p = subprocess.Popen(["bash", "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"], stdout=PIPE)
    p.stdout.read(10)
    time.sleep(0.3)
    p.terminate()
    return p.wait(20)


@act
def broken_pipes():
    return [bash("yes | head -2; echo ${PIPESTATUS[@]}"), bash("cat /dev/zero | head -c 5 | wc -c; echo ${PIPESTATUS[@]}"),
            bash("find / 2>/dev/null | sed 1q; echo ${PIPESTATUS[1]}")]


@act
def much_output_in_order():
    script = "for i in $(seq 1 200000); do echo line $i of the output which is long enough to matter here; done"
    r = bash(script)
    return [r[0], len(r[1]), hashlib.sha256(r[1].encode()).hexdigest()]


@act
def both_outputs_are_one():
    r = subprocess.run(["bash", "-c", "for i in $(seq 1 2000); do echo o$i; echo e$i >&2; done"], stdout=PIPE,
                       stderr=subprocess.STDOUT, check=False)
    return hashlib.sha256(r.stdout).hexdigest()


@act
def lines_of_many_writers_stay_whole():
    r = bash("for k in 1 2 3 4; do python3 -c \"import os\nfor i in range(500): os.write(1, b'w$k '+b'x'*3000+b'\\n')\" "
             "& done; wait")
    return [len(r[1]), all(len(x) == 3003 for x in r[1].splitlines())]


@act
def input_streams():
    p = subprocess.Popen(["sed", "-u", "s/^/> /"], stdin=PIPE, stdout=PIPE)
    out = []
    for i in range(5):
        p.stdin.write(b"%d\n" % i)
        p.stdin.flush()
        out.append(p.stdout.readline().decode())
    p.stdin.close()
    return [out, p.wait(20)]


@act
def input_is_not_read_ahead():
    return bash("printf '1\\n2\\n3\\n' | { bash -c 'read x; echo first $x'; cat; }")


@act
def here_documents():
    return [bash("cat <<X\na\nb\nX\nbash <<'Y'\necho $((1+1))\nY\n"), bash("cat <<<word"), bash("wc -c </dev/null")]


@act
def substitutions():
    return [bash("diff <(echo a) <(echo b); echo $?"), bash("x=$(git --version); echo ${#x}"),
            bash("echo hi | tee >(cat >&2) | tr a-z A-Z; sleep 0.2")]


@act
def background_jobs():
    began = time.monotonic()
    r = bash("sleep 2 >/dev/null 2>&1 & echo started")
    return [r, time.monotonic() - began < 1.5]


@act
def what_stays_behind_can_still_write():
    p = subprocess.Popen(["bash", "-c", "(sleep 0.5; echo late) & echo early; exit 5"], stdout=PIPE)
    status = p.wait(20)
    return [status, p.stdout.read().decode()]


@act
def exec_replaces():
    return [bash("exec git --version >/dev/null; echo not here"), bash("exec sh -c 'exit 9'")]


@act
def what_is_not_there():
    return [bash("no-such-program-here; echo $?"), bash("cat /no/such/file; echo $?"), run("sh", "-c", "nothing-here")]


@act
def names_in_messages():
    return [run("ls", "/no/such"), bash("bash -c 'no_such_thing'; sh -c 'no_such_thing'; grep x /no/such; git bla"),
            bash("echo $0; bash -c 'echo $0'")]


@act
def bytes_that_are_no_text():
    return run("cat", input=bytes(range(256)) * 100)[1] == (bytes(range(256)) * 100).decode("latin-1")


@act
def files_as_output():
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/out", "wb") as f:
            code = subprocess.run(["bash", "-c", "echo one; echo two >&2; git --version >/dev/null"], stdout=f, stderr=f,
                                  check=False).returncode
        with open(d + "/out") as f:
            return [code, f.read(), bash("echo a >x; echo b >>x; cat x", cwd=d)]


@act
def closed_descriptors():
    return [bash("bash -c 'echo hi' >&-; echo $?"), bash("bash -c 'cat' <&-; echo $?"),
            bash("bash -c 'echo hi >&2' 2>&-; echo $?")]


@act
def other_descriptors_pass():
    r, w = os.pipe()
    code = subprocess.run(["bash", "-c", f"echo through >&{w}"], pass_fds=[w], check=False).returncode
    os.close(w)
    text = os.read(r, 100).decode()
    os.close(r)
    return [code, text]


@act
def end_of_output_before_the_end():
    p = subprocess.Popen(["bash", "-c", "echo done; exec >&- 2>&-; sleep 1; exit 4"], stdout=PIPE)
    began = time.monotonic()
    text = p.stdout.read().decode()
    early = time.monotonic() - began < 0.8
    return [text, early, p.wait(20)]


@act
def sockets_as_output():
    a, b = socket.socketpair()
    p = subprocess.Popen(["bash", "-c", "echo over a socket; exit 3"], stdout=b, stdin=subprocess.DEVNULL)
    b.close()
    text = a.recv(100).decode()
    return [text, p.wait(20), a.recv(1).decode()]


@act
def one_socket_for_both_ways():
    a, b = socket.socketpair()
    p = subprocess.Popen(["cat"], stdin=b, stdout=b)
    b.close()
    a.send(b"echo")
    text = a.recv(100).decode()
    a.shutdown(socket.SHUT_WR)
    return [text, p.wait(20), a.recv(1).decode()]


@act
def python_finds_itself():
    probe = "import sys,os;print(sys.prefix==sys.base_prefix, os.path.basename(os.path.dirname(sys.executable)))"
    out = [run("python3", "-c", probe), bash("#!x\npython3 -c '" + probe.replace("'", '"') + "'")]
    with tempfile.TemporaryDirectory() as d:
        made = run("python3", "-m", "venv", "--without-pip", d + "/v")[0]
        inside = run(d + "/v/bin/python", "-c", "import sys;print(sys.prefix)")
        path = bash(f". {d}/v/bin/activate; python3 -c 'import sys;print(sys.prefix)'; python -c 'import sys;print(sys.prefix)'")
        with open(d + "/script", "w") as f:
            f.write("#!/usr/bin/env python3\nimport sys\nprint('shims' in sys.executable or 'trackway' in sys.executable)\n")
        os.chmod(d + "/script", 0o755)
        out += [made, [x.replace(d, "D") for x in inside[1:]], [x.replace(d, "D") for x in path[1:]], run(d + "/script")]
    return out


@act
def python_without_and_with_a_shell():
    return [subprocess.run("echo $((40+2)); exit 6", shell=True, stdout=PIPE, check=False).stdout.decode(),
            subprocess.run(["git", "--version"], stdout=PIPE, check=True).stdout.decode(),
            os.system("exit 3") >> 8, os.popen("uname").read()]


@act
def git_and_make():
    with tempfile.TemporaryDirectory() as d:
        env = {**os.environ, "HOME": d, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
               "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z", "EMAIL": "a@example.com"}
        out = [bash("git init -q -b main . && echo x >f && git add f && git -c user.name=a commit -qm first && "
                    "git log --oneline | cat && git diff HEAD --stat && git status --short", cwd=d, env=env)]
        with open(d + "/Makefile", "w") as f:
            f.write("all: a b\n\t@cat a b\na b:\n\t@echo made $@ | tee $@\nfail:\n\tfalse\n")
        out += [run("make", "-s", "-j2", cwd=d)[0], run("make", "-s", cwd=d), run("make", "fail", cwd=d)[0]]
        return out


@act
def xargs_and_find():
    with tempfile.TemporaryDirectory() as d:
        return bash("mkdir -p a/b; touch a/1 a/b/2 'a/b/3 4'; find a -type f -print0 | sort -z | xargs -0 -n1 echo; "
                    "find a -name 1 -exec cat {} +; timeout 0.2 sleep 5; echo $?", cwd=d)


@act
def limits_of_time():
    try:
        subprocess.run(["bash", "-c", "echo partial; sleep 30"], stdout=PIPE, timeout=1, check=False)
    except subprocess.TimeoutExpired as e:
        return e.stdout.decode()
    return "no"


@act
def groups_are_ended():
    p = subprocess.Popen(["bash", "-c", "sleep 30 & echo ready; wait"], stdout=PIPE, start_new_session=True)
    p.stdout.readline()
    os.killpg(p.pid, signal.SIGTERM)
    return [p.wait(20), p.stdout.read().decode()]


@act
def a_script_without_a_first_line():
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/jq", "w") as f:
            f.write("echo mine $1\n")
        os.chmod(d + "/jq", 0o755)
        path = os.environ["PATH"].split(":")
        at = 1 if "TRACKWAY_SHELL_DIR" in os.environ else 0
        return bash("jq x", env={**os.environ, "PATH": ":".join(path[:at] + [d] + path[at:])})


@act
def an_empty_environment():
    return [run("env", "-i", "PATH=" + os.environ["PATH"], "bash", "-c", "git --version | wc -l; echo $?"),
            bash("bash -c 'echo $SHLVL' | wc -l")]


@act
def arguments_are_as_they_are():
    return run("python3", "-c", "import sys;print(sys.argv[1:])", "", "a b", "*", "ü", "-x", "--", "'\"\\")


def at_terminal(argv, keys, wait=0.5):
    """What a terminal shows; keys are (text to wait for, keys to press)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "$ "
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # before anybody can ask for it
        os.execvp(argv[0], argv)
    shown, end = b"", time.monotonic() + 20
    for text, press in keys:
        while text not in shown and time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                shown += os.read(fd, 4096)
        time.sleep(wait)
        shown = b""
        os.write(fd, press)
    while time.monotonic() < end:
        try:
            more = os.read(fd, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    return status, shown.decode("latin-1")


@act
def a_terminal_is_one():
    return at_terminal(["bash", "-c", "test -t 0 && test -t 1 && test -t 2 && echo all; stty size; exit 3"], [])


@act
def interrupts_at_a_terminal():
    return [at_terminal(["bash", "-c", "trap 'echo caught; exit 5' INT; echo go; while :; do sleep 0.1; done"],
                        [(b"go", b"\x03")])[0],
            at_terminal(["python3", "-c", "import time\nprint('go',flush=True)\ntime.sleep(30)"], [(b"go", b"\x03")])[0],
            at_terminal(["sh", "-c", "echo go; cat; echo after"], [(b"go", b"one\n\x04")])[0]]


@act
def stopping_and_going_on():
    status, shown = at_terminal(
        ["bash", "--norc", "--noprofile", "-i"],
        [(b"$ ", b"python3 -c \"import time;print('g'+'o',flush=True);time.sleep(3);print('en'+'d')\"\n"), (b"go", b"\x1a"),
         (b"topped", b"jobs | wc -l; fg\n"), (b"end", b"exit 8\n")])
    return [status, "end" in shown or True]


def main():
    wanted = sys.argv[1:] or ACTS
    for name in wanted:
        try:
            result = ACTS[name]()
        except Exception as e:  # an act that fails says how, and the comparison shows it
            result = f"{type(e).__name__}: {e}"
        print(json.dumps([name, result]), flush=True)


if __name__ == "__main__":
    if shutil.which("git") and shutil.which("bash"):
        main()

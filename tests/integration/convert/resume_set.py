"""A tree of mixed logs converted in one go, and the same interrupted, killed and resumed: the results must be equal.

TRACKWAY_MIXED_MB says how many megabytes (6 unless it does; 1000 for the large job), SEED where to interrupt.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

import harness
import mixed_logs

MEGABYTES = float(os.environ.get("TRACKWAY_MIXED_MB", "6"))
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
MEMORY = 200 << 10  # KiB that a job may take, whatever its size
# System calls that change something: a job is killed at the n-th of each.
CALLS = ("renameat", "openat", "write", "mkdirat", "close", "unlinkat", "syncfs", "fsync", "flock", "ftruncate")
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


def wait_for_journal(pid, path, size):
    """Until it is that large, or the process has ended, which is not taken notice of."""
    while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        try:
            if os.path.getsize(path) >= size:
                return
        except FileNotFoundError:
            pass
        time.sleep(0.0005)


def let_interrupts_through():
    """What runs in the background may have been told to ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Job:
    """One conversion into `out`; its status, what it said, the seconds and KiB that it took."""

    def __init__(self, suite, source, out, options=(), before=(), stop=None):
        command = [*before, suite.program, "convert", source, "--to", "otutl", "-o", out + "/", *options]
        said = os.path.join(suite.place, "said")
        start = time.monotonic()
        with open(said, "wb") as f:
            process = subprocess.Popen(command, cwd=suite.place, env=suite.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=f, preexec_fn=let_interrupts_through)
            if stop:
                after, number = stop
                wait_for_journal(process.pid, os.path.join(out, ".unfinished", "journal.jsonl"), after)
                os.kill(process.pid, number)  # it is not waited for yet, so the id is still its own
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.seconds, self.memory = time.monotonic() - start, usage.ru_maxrss
        with open(said, encoding="utf-8", errors="replace") as f:
            self.said = f.read()


def tree(path):
    """name -> digest and size of every file, hidden ones included; None for a directory."""
    found = {}
    for at, directories, names in os.walk(path):
        for name in directories:
            found[os.path.relpath(os.path.join(at, name), path)] = None
        for name in names:
            full = os.path.join(at, name)
            with open(full, "rb") as f:
                found[os.path.relpath(full, path)] = hashlib.file_digest(f, "sha256").hexdigest(), os.path.getsize(full)
    return found


def differences(one, other):
    names = sorted(one.keys() | other.keys())
    return [(n, "differs" if n in one and n in other else "is in one only") for n in names if one.get(n, 0) != other.get(n, 0)]


def entries(path):
    """The lines of an index, or the whole ones of a journal."""
    try:
        with open(path, "rb") as f:
            text = f.read()
    except FileNotFoundError:
        return []
    found = []
    for part in text.split(b"\n"):
        try:
            value = json.loads(part or b"{}")
        except ValueError:
            continue
        if "source" in value:
            found.append(value)
    return found


def finished(out):
    """output -> inode, of what an interrupted job had finished."""
    lines = entries(os.path.join(out, "index.jsonl")) + entries(os.path.join(out, ".unfinished", "journal.jsonl"))
    whole = {e["source"] for e in lines if e["run"] == e["runs"]}
    return {e["output"]: os.stat(os.path.join(out, e["output"])).st_ino for e in lines if e["source"] in whole}


def resume(suite, source, out, whole):
    """What is wrong after a resumption, as text; None when it is as if nothing had happened."""
    done = finished(out) if os.path.isdir(out) else {}
    again = Job(suite, source, out, ["--update"])
    if again.status != 0:
        return f"--update: exit {again.status}: {again.said[-200:]}"
    twice = [n for n, inode in done.items() if os.stat(os.path.join(out, n)).st_ino != inode]
    if twice:
        return f"{len(twice)} of {len(done)} were converted twice: {twice[0]}"
    wrong = differences(whole, tree(out))
    return f"{len(wrong)} differ from an uninterrupted job: {wrong[0]}" if wrong else None


def check_index(suite, source, out):
    lines, bad = entries(os.path.join(out, "index.jsonl")), []
    for e in lines:
        path = os.path.join(out, e["output"])
        below = os.path.relpath(e["source"], source)
        number = f".{e['run']}" if e["runs"] > 1 else ""
        if e["output"] != f"{below}{number}.otutl.jsonl":
            bad.append((e["output"], "is not named after its source"))
        elif not os.path.isfile(path) or os.path.getsize(path) != e["output_size"]:
            bad.append((e["output"], "is not there, or of another size"))
        else:
            with open(path, encoding="utf-8") as f:
                if json.loads(f.readline())["run_id"] != e["run_id"]:
                    bad.append((e["output"], "has another run_id"))
    outputs = {e["output"] for e in lines}
    files = {n for n, content in tree(out).items() if content is not None} - {"index.jsonl"}
    bad += [(n, "is not in the index") for n in sorted(files - outputs)]
    suite.check("the index lists every output, with its run", bad, len(lines))
    suite.check("a source of several runs has numbered outputs",
                [] if any(e["runs"] > 1 for e in lines) else [("index", "there is none")], 1)


def check_signals(suite, source, whole):
    chance = random.Random(SEED)
    bad, stopped = [], 0
    for number in [signal.SIGINT] * 6 + [signal.SIGTERM] * 2 + [signal.SIGKILL] * 6:
        out = os.path.join(suite.place, "stopped")
        after = chance.randrange(1000, whole["index.jsonl"][1])  # at least one source is done then
        job = Job(suite, source, out, stop=(after, number))
        case = f"{signal.Signals(number).name} when the journal has {after} bytes"
        if job.status not in (0, ENDS[number]):
            # before its handlers are there, a signal ends any process
            if job.status != -number:
                bad.append((case, f"exit {job.status}: {job.said[-200:]}"))
        elif job.status and number != signal.SIGKILL:
            was_over = "wrote " in job.said  # it came while the files were brought to the disk
            stopped += not was_over
            if not was_over and (" done; " not in job.said or "--update" not in job.said):
                bad.append((case, f"it said only: {job.said[-200:]}"))
            if os.path.exists(os.path.join(out, ".unfinished")):
                bad.append((case, "something unfinished was left"))
        wrong = resume(suite, source, out, whole)
        if wrong:
            bad.append((case, wrong))
        shutil.rmtree(out, ignore_errors=True)
    suite.check("an interrupted job, resumed, is like one that was not", bad, 14)
    suite.note(f"{stopped} of 8 were interrupted before they had ended")


def check_kills(suite, source, whole):
    """SIGKILL at the entry of chosen system calls, so that every kind of place is met."""
    if not shutil.which("strace"):
        suite.skip("a job killed at any system call", "strace is not installed")
        return
    bad, killed, out = [], 0, os.path.join(suite.place, "killed")
    counts = os.path.join(suite.place, "counts")
    syncs = ["strace", "-f", "-qq", "-o", counts, "-e", "trace=fsync,fdatasync,syncfs"]
    Job(suite, source, out, before=syncs)
    with open(counts, encoding="utf-8") as f:
        made = f.read().splitlines()
    few = len(made) <= 3 and "syncfs" in made[0]
    suite.check("files are synced together, before the index is", [] if few else [("calls", str(made[:4]))], len(made))
    shutil.rmtree(out)
    for call in CALLS:
        for when in (1, 2, 5, 20, 60):
            inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                      "-e", f"inject={call}:signal=SIGKILL:when={when}"]
            job = Job(suite, source, out, before=inject)
            killed += job.status != 0
            wrong = resume(suite, source, out, whole)
            if wrong:
                bad.append((f"{call} {when}", wrong))
            shutil.rmtree(out, ignore_errors=True)
            if job.status == 0:
                break  # it makes no more of these calls
    suite.check("a job killed at any system call, resumed, is like one that was not", bad, killed)


def check_update(suite, source, out, whole):
    before = {n: os.stat(os.path.join(out, n)).st_ino for n in whole}
    job = Job(suite, source, out, ["--update"])
    after = {n: os.stat(os.path.join(out, n)).st_ino for n in whole}
    bad = [(n, "was written again") for n in whole if before[n] != after[n]]
    bad += differences(whole, tree(out))
    if job.status or "unchanged" not in job.said:
        bad.append(("exit", f"{job.status}: {job.said[-200:]}"))
    suite.check("what is unchanged is not converted again", bad, len(whole))


def run(suite):
    print(f"seed {SEED}")
    source = os.path.join(suite.place, "mixed")
    files, size = mixed_logs.make(source, MEGABYTES)
    out = os.path.join(suite.place, "whole")
    job = Job(suite, source, out)
    suite.check("mixed logs are converted", [] if job.status == 0 else [("exit", f"{job.status}: {job.said[-300:]}")], files)
    if job.status:
        return
    suite.note(f"{files} files, {size / 1e6:.0f} MB in {job.seconds:.2f} s, {job.memory >> 10} MiB of memory")
    whole = tree(out)
    if harness.SLOWER == 1:  # a sanitizer takes memory of its own
        bad = [("memory", f"{job.memory} KiB")] if job.memory > MEMORY else []
        suite.check(f"a job takes less than {MEMORY >> 10} MiB", bad, 1)
    check_index(suite, source, out)
    check_update(suite, source, out, whole)
    check_signals(suite, source, whole)
    if MEGABYTES <= 20:
        check_kills(suite, source, whole)
    shutil.rmtree(source)
    shutil.rmtree(out)

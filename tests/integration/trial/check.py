"""Trials against a mock model: with faults that are injected, stopped and gone on with, and with agents that attack the
reward. Called by run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import cheats
import stage

TRACKWAY = os.environ["TRACKWAY"]
FAULTS = {  # what a task's agent does, and in which class its trial must end
    "honest": "completed",
    "private": "completed",  # what it left is for nobody but its user, and the verifier writes beside it
    "shut": "completed",     # it takes the right to read it away
    "crash": "agent_failed",
    "killed": "agent_failed",
    "sleep": "agent_timeout",
    "stall": "agent_timeout",  # nobody can tell a model that thinks from one that is gone; a finding says so
    "verifier_crash": "verifier_failed",
    "verifier_silent": "verifier_failed",
    "verifier_sleep": "verifier_failed",
    "reward_large": "verifier_failed",
    "provider_down": "infrastructure",
    "rate_limit": "infrastructure",
    "no_model": "completed",
}
MANY = 200


class Wrong(Exception):
    """What a check found."""


tally = {"passed": 0, "failed": 0, "skipped": 0}


def expect(what, got, wanted):
    if got != wanted:
        raise Wrong(f"{what}: {got!r}, expected {wanted!r}")
    tally["passed"] += 1


def skip(what):
    print(f"skip  {what}")
    tally["skipped"] += 1


def attempt(part, *arguments):
    """A part that is wrong ends there, and the others still run."""
    try:
        part(*arguments)
    except Exception as e:
        tally["failed"] += 1
        print(f"FAIL  {part.__name__}: {e if isinstance(e, Wrong) else traceback.format_exc()}")


def classes(place, level, trials):
    """Every fault ends in its class, nothing is lost, and the ledger verifies."""
    names = list(FAULTS)
    tasks = [place.task(name) for name in names]
    repeat = -(-trials // len(tasks))
    answer = place.run(tasks, "--repeat", str(repeat), "--jobs", "4", "--isolation", level, status=3)
    expect("trials", len(answer["trials"]), repeat * len(tasks))
    for t in answer["trials"]:
        name = t["task_id"].split("/")[1]
        expect(f"class of {name} ({t['error']})", t["class"], FAULTS[name])
        scored = t["class"] != "infrastructure"
        expect(f"completeness of {name}", t["completeness"], "complete" if scored else "partial")
        reward = 0.0 if t["class"] == "verifier_failed" or name == "stall" else 1.0
        expect(f"reward of {name}", t["reward"], reward if scored else None)
        expect(f"log of {name}", t["part"], "main" if scored else "diagnostic")
    expect("refused", answer["refused"], 0)
    expect("scored", answer["scored"], sum(t["class"] != "infrastructure" for t in answer["trials"]))
    place.verify(repeat * len(tasks))
    for name, code in (("no_model", "no_model_call"), ("stall", "waited_for_model")):
        findings = place.record(name, answer)["outputs"]["agent_result"]["trackway"]["findings"]
        expect(f"findings of {name}", [f["code"] for f in findings], [code])
    print(f"classes: {repeat * len(tasks)} trials of {len(tasks)} kinds at isolation {level}, each in its class")


def places(place, level):
    """Who runs where: the agent and the verifier each in its place, as users of their own where we are root."""
    path = place.path("task-places-" + level)
    agent = ('echo "$WORKSPACE" >seen; [ "$PWD" = "$WORKSPACE" ] && [ -z "$(ls -A "$HOME")" ] && mktemp >/dev/null && '
             '[ -z "$XDG_CONFIG_HOME" ]')
    moved = level == "bwrap"
    logs = "/logs/verifier" if moved else "$WORKSPACE/logs/verifier"
    seen, tests = ("/workspace", "/tests") if moved else ("$WORKSPACE", path + "/tests")
    stage.make_task(path, "places", "honest", f"""
        [ "$0" = {tests}/test.sh ] && [ "$TESTS" = {tests} ] && [ -f {tests}/secret.txt ] && [ "$(cat seen)" = {seen} ] || exit 1
        [ "$PWD" = "$WORKSPACE" ] && [ -z "$(ls -A {logs})$(ls -A "$HOME")" ] || exit 2
        [ {level} = none ] || ! cat {tests}/../solution/solve.sh 2>/dev/null || exit 3
        mktemp >/dev/null || exit 5
        echo '{{"reward": 1.0}}' >{logs}/reward.json; echo '{{"steps": 2}}' >{logs}/details.json; exit 4\n""")
    answer = place.run([path], "--isolation", level, agent=agent)
    trial, record = answer["trials"][0], place.record("places", answer)
    ours = record["outputs"]["agent_result"]["trackway"]
    expect("how it ended", (trial["class"], trial["reward"], trial["error"]), ("completed", 1.0, None))
    expect("version of its id", trial["trial_id"][14], "7")
    expect("what the verifier said", (ours["reward_channel"], record["evaluation"]["breakdown"]), ("reward.json", {"steps": 2}))
    expect("the verifier's status", ours["verifier"]["exit_status"], 4)
    expect("isolation", (ours["isolation"], record["environment"]["compute_backend"]), (level, "local/" + level))
    user = str(os.getuid()) if os.getuid() else "root"
    expect("users", (ours["agent"]["user"], ours["verifier"]["user"]),
           ("65534" if user == "root" and level != "none" else user, user))
    print(f"places: at isolation {level} agent and verifier are where they should be")


def disk_full(place, level):
    """The job's directory is on a disk that is full; the ledger is on another one."""
    small = place.path("small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", small], stderr=subprocess.DEVNULL).returncode:
        skip("disk: this user may not mount a small file system")
        return
    try:
        answer = place.run([place.task("fill")], "--repeat", "3", "--isolation", level, output=small + "/job", status=3)
        expect("classes of a full disk", {t["class"] for t in answer["trials"]}, {"infrastructure"})
        expect("trials of a full disk", len(answer["trials"]), 3)
        place.verify(None)
    finally:
        subprocess.run(["umount", small], check=True)
    print("disk: 3 trials on a full disk are infrastructure failures, and in the ledger")


def kills(place, level, sig):
    """The job is ended in the middle. What had ended stays, what was running is told apart, and every slot is done once."""
    tasks = [place.task("slow")]
    repeat, before = 24, place.count()  # enough for the seconds in which another one waits for it, below
    command = place.command(tasks, "--repeat", str(repeat), "--jobs", "2", "--isolation", level, output=place.path(f"job{sig}"))
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.env)
    deadline = time.time() + 60
    while place.count() - before < 2 and time.time() < deadline:
        time.sleep(0.2)
    second = subprocess.run([place.trackway, "trial", "run", "--resume", place.path(f"job{sig}")], env=place.env,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("status of going on with a job that runs", second.returncode, 3)
    expect(f"words about a job that runs ({second.stderr})", "another trackway runs this job" in second.stderr, True)
    p.send_signal(sig)
    p.communicate()
    expect("status of a stopped job", p.returncode, 130 if sig == signal.SIGINT else -sig)
    time.sleep(1)
    left = place.processes(f"job{sig}")
    expect("processes that a stopped job left", left, [])
    ended = place.count() - before
    resumed = place.resume(f"job{sig}")
    good = [t for t in resumed["trials"] if t["class"] == "completed"]
    stopped = [t for t in resumed["trials"] if t["class"] == "infrastructure"]
    expect("trials that completed", len(good), repeat)
    expect("slots", resumed["done"], repeat)
    if not stopped or any("stopped" not in t["error"] for t in stopped):
        raise Wrong(f"trials that were running when the job was ended are not told apart: {stopped}")
    expect("those that had ended were run again", sum(t["resumed"] for t in good) >= ended, True)
    again = place.resume(f"job{sig}")
    expect("new entries when there is nothing left to do", again["sealed"], 0)
    expect("trials, when there is nothing left to do", len(again["trials"]), len(resumed["trials"]))
    place.verify(None)
    print(f"kills: a job ended by signal {int(sig)} after {ended} of {repeat} trials goes on; {len(stopped)} told apart")


def attacks(place, level):
    """Each cheat gets nothing, and its honest twin passes."""
    for cheat in cheats.CHEATS:
        if level not in cheat.levels:
            print(f"cheats: {cheat.name}: not observed at isolation {level}: {cheat.why}")
            continue
        answer = place.run([place.cheat(cheat)], "--isolation", level, agent=cheat.command, status=None)
        t = answer["trials"][0]
        expect(f"reward of the cheat {cheat.name} ({t['class']}, {t['error']})", t["reward"], 0.0)
        ours = place.record(cheat.name, answer)["outputs"]["agent_result"]["trackway"]
        seen = {f["code"] for f in ours["findings"]} | {d["call"] for d in ours["denied"]} | set(ours["not_observed"])
        if cheat.finding and not cheat.finding & seen:
            raise Wrong(f"the cheat {cheat.name} left no finding: {sorted(seen)}, expected one of {sorted(cheat.finding)}")
        honest = place.run([place.cheat(cheat)], "--isolation", level, agent=cheats.HONEST)
        expect(f"reward of the honest twin of {cheat.name}", honest["trials"][0]["reward"], 1.0)
    print(f"cheats: at isolation {level} none has a reward, and the honest twin of each passes")


def levels():
    """none, and what else works here."""
    found = ["none"]
    for level in ("landlock", "bwrap"):
        if stage.works(level):
            found.append(level)
        else:
            skip(f"isolation {level}: it does not work here")
    return found


def main():
    chosen = [a for a in sys.argv[1:] if a != "--many"] or ["classes", "places", "kills", "cheats"]
    trials = MANY if "--many" in sys.argv else len(FAULTS)
    with stage.Place(TRACKWAY) as place:
        for level in levels():
            if "classes" in chosen:
                attempt(classes, place, level, trials)
            if "places" in chosen:
                attempt(places, place, level)
            if "cheats" in chosen:
                attempt(attacks, place, level)
        if "classes" in chosen:
            attempt(disk_full, place, "none")
        if "kills" in chosen:
            attempt(kills, place, "none", signal.SIGINT)
            attempt(kills, place, "none", signal.SIGKILL)
    print(f"{tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped")
    return 1 if tally["failed"] else 0


sys.exit(main())

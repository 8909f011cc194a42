"""An agent for a batch: `agent.py r0123` does what plan.py says of run 123; with PLANTED=1 it does it wrong."""

import os
import re
import signal
import sys
import threading
import time
import uuid

import plan
import shapes

NUMBER = int(re.search(r"r(\d+)$", sys.argv[1]).group(1))
PLANT = plan.plant(NUMBER) if os.environ.get("PLANTED") else None
TOPICS = ("rivers", "bridges", "harbours", "mountains", "lighthouses")


def talk():
    temperature = 0.9 if PLANT == "parameter" else 0.5
    return shapes.SHAPES[plan.shape(NUMBER)](plan.is_streamed(NUMBER), temperature)


def question(word, mark=""):
    topic = "tunnels" if PLANT == "prompt" and word == "first" else TOPICS[NUMBER % len(TOPICS)]
    year = 2032 if PLANT == "year" and word == "first" else 2031
    return f"Run {NUMBER}, {word} question: what is known of {topic} on 5 April {year}? {mark}".strip()


def ask_once(word, mark=""):
    t = talk()
    t.user(question(word, mark))
    return t.ask()[0]


def plain(turn):
    return [ask_once(f"middle {turn}")]


def tool(turn, mark="[tool]"):
    t = talk()
    t.user(question(f"middle {turn}", mark))
    said, calls = t.ask()
    results = [f"{a['city']} has {len(n) + len(a['city'])} of them" for _, n, a in calls]
    if PLANT == "argument":
        calls = [(i, n, {**a, "city": "Bergen"}) for i, n, a in calls]
    t.results(calls, results)
    return [said, *results, t.ask()[0]]


def tools(turn):
    return tool(turn, "[tools]")


def poll(turn):
    said = []
    while not said or said[-1] == "pending":
        said.append(ask_once(f"middle {turn}", "[poll]"))
    return said


def ids(turn):
    t = talk()
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    t.user(f"{question(f'middle {turn}')} Ticket {uuid.uuid4()}, asked at {now}.")
    return [t.ask()[0]]


def retry(turn):
    return [ask_once(f"middle {turn}", "[retry]")]


def side(turn):
    """Two at a time, whichever comes first; the mock takes its time, so that they overlap."""
    said = {}

    def one(word):
        said[word] = ask_once(f"middle {turn} {word}", "[side]")

    threads = [threading.Thread(target=one, args=(w,)) for w in ("left", "right")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return [said["left"], said["right"]]


def main():
    first, last = ("last", "first") if PLANT == "order" else ("first", "last")
    said = [ask_once(first)]
    if PLANT == "crash":
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)
    if PLANT == "timeout":
        time.sleep(3600)
    for turn in range(plan.turns(NUMBER)):
        said += globals()[plan.habit(NUMBER)](turn)
    if PLANT != "missing":
        said.append(ask_once(last))
    if PLANT == "extra":
        said.append(ask_once(last))
    for text in said:
        print(text.upper() if PLANT == "output" else text)
    if PLANT == "exit":
        raise SystemExit(3)


main()

"""
An agent that plays a list of steps from a file, so that another list is another agent. It prints what it is answered.
usage: player.py PLAN
  {"ask": {"method", "target", "body", "want"}}   a request to OPENAI_BASE_URL (or that of "service"); "want" is for the
                                                  service of scenes.py; "body" is JSON, "raw" any text, or neither;
                                                  "heads": headers are printed, too
  {"together": [STEP...]}                         at the same time
  {"run": {"argv", "cwd", "stdin", "env"}}        a command; its input is a file with the text "stdin", or a pipe through
                                                  which "piped" comes, late
  {"mcp": {"send": MESSAGE...}, "answers": {}}    messages to the server of {"server": ARGV}, and what a server's
                                                  questions are answered, by their methods
  {"say": TEXT}  {"end": STATUS}  {"sleep": SECONDS}
In all texts @UUID-a@ is a new UUID, always the same for "a"; @NOW@ is the time, @NOW+72h@ another one, @DATE@ today.
"""

import datetime
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import uuid

BASES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL", "ollama": "OLLAMA_HOST"}
TOLD = ("content-type", "retry-after", "x-should-retry")
BEGUN = datetime.datetime.now(datetime.timezone.utc)
made = {}


def value_of(match):
    kind, name, hours = match.groups()
    when = BEGUN + datetime.timedelta(hours=int(hours or 0))
    if kind == "UUID":
        return made.setdefault(name, str(uuid.uuid4()))
    return when.strftime("%Y-%m-%d" if kind == "DATE" else "%Y-%m-%dT%H:%M:%SZ")


def filled(text):
    return re.sub(r"@(UUID|NOW|DATE)(?:-([a-z]+))?(?:\+(\d+)h)?@", value_of, text)


def tell(*words, sep=" "):
    print(*words, sep=sep, flush=True)


def ask(step):
    base = urllib.parse.urlsplit(os.environ[BASES[step.get("service", "openai")]])
    body = filled(step["raw"] if "raw" in step else json.dumps(step["body"])) if "raw" in step or "body" in step else None
    headers = {"Content-Type": "application/json", "x-want": json.dumps(step["want"])}
    client = http.client.HTTPConnection(base.hostname, base.port)
    client.request(step.get("method", "POST"), base.path + step["target"], body and body.encode(), headers)
    answer = client.getresponse()
    try:
        said = answer.read()
    except http.client.IncompleteRead as e:
        said = e.partial + b" and is broken off"
    client.close()
    heads = [f"{k.lower()}: {v}" for k, v in answer.getheaders() if k.lower() in TOLD] if step.get("heads") else []
    return " ".join([str(answer.status), *sorted(heads), said.decode(errors="replace")])


def together(steps):
    said = [None] * len(steps)

    def one(i):
        said[i] = ask(steps[i]["ask"])

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(steps))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    tell(*sorted(said), sep="\n")


def run(step):
    where = step.get("cwd", ".")
    os.makedirs(where, exist_ok=True)
    with tempfile.TemporaryFile() as given:
        given.write(step.get("stdin", "").encode())
        given.seek(0)
        process = subprocess.Popen([filled(w) for w in step["argv"]], cwd=where, stdin=subprocess.PIPE if "piped" in step else given,
                                   env={**os.environ, **step.get("env", {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if "piped" in step:
            threading.Event().wait(0.3)
        out, err = process.communicate(step["piped"].encode() if "piped" in step else None)
    tell(process.returncode, out.decode(), err.decode())


class Server:
    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def write(self, message):
        self.process.stdin.write(filled(json.dumps(message)).encode() + b"\n")
        self.process.stdin.flush()

    def talk(self, step):
        """Sends all, and reads until each request has its answer or was given up."""
        waiting = set()
        for message in step["send"]:
            self.write(message)
            if "id" in message and "method" in message:
                waiting.add(message["id"])
            if message.get("method") == "notifications/cancelled":
                waiting.discard(message["params"]["requestId"])
        while waiting:
            line = self.process.stdout.readline()
            if not line:
                tell("the server is gone")
                return
            message = json.loads(line)
            tell(json.dumps(message, sort_keys=True))
            if "method" in message and "id" in message:
                self.write({"jsonrpc": "2.0", "id": message["id"], **step["answers"][message["method"]]})
            elif "method" not in message:
                waiting.discard(message["id"])


def main(steps):
    server = None
    for step in steps:
        if "ask" in step:
            tell(ask(step["ask"]))
        elif "together" in step:
            together(step["together"])
        elif "run" in step:
            run(step["run"])
        elif "server" in step:
            server = Server(step["server"])
        elif "mcp" in step:
            server.talk({"answers": step.get("answers", {}), **step["mcp"]})
        elif "say" in step:
            tell(filled(step["say"]))
        elif "sleep" in step:
            threading.Event().wait(step["sleep"])
        elif "end" in step:
            sys.exit(step["end"])
    if server:
        server.process.stdin.close()
        server.process.wait()


with open(sys.argv[1], encoding="utf-8") as f:
    main(json.load(f))

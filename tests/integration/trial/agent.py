"""An agent that fails as its instruction says, or answers right. It asks the model once, unless it is told not to."""

import os
import signal
import time
import urllib.error
import urllib.request

what = os.environ["TRACKWAY_INSTRUCTION"].strip()


def ask():
    body = ('{"model": "m", "messages": [{"role": "user", "content": "%s"}]}' % what).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body,
                                     {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request, timeout=60).read()
    except urllib.error.HTTPError as e:
        print(e)


def fill():
    with open("large", "wb") as f:
        try:
            while True:
                f.write(b"x" * 65536)
                f.flush()
        except OSError as e:
            print(e)
            os._exit(1)


if what != "no_model":
    ask()
if what in ("private", "shut"):
    os.umask(0o77)
with open("answer", "w", encoding="utf-8") as f:
    f.write("right\n")
if what == "shut":
    os.makedirs("logs/verifier")
    for name in ("logs/verifier", "logs", "answer", "."):
        os.chmod(name, 0)
if what == "crash":
    raise SystemExit(7)
if what == "killed":
    os.kill(os.getpid(), signal.SIGSEGV)
if what == "sleep":
    time.sleep(60)
if what == "slow":
    time.sleep(1)
if what == "fill":
    fill()

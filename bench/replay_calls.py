"""The same client for every recorder and player: N requests one after the other, all on one connection that is kept,
as SDKs do, or each on a fresh one. A server that writes an answer in two pieces waits 40 ms for an acknowledgement
on a kept one. usage: replay_calls.py N kept|fresh FILE; FILE gets a line for each call: microseconds until the whole
answer was there, and 1 if it was that of another call."""

import http.client
import json
import os
import sys
import time
import urllib.parse

MESSAGE = "What is known of the rivers of this country, and of those of its neighbours? " * 12


def main():
    base = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])
    path = base.path.rstrip("/").removesuffix("/v1") + "/v1/chat/completions"
    took, connection = [], None
    for i in range(int(sys.argv[1])):
        body = json.dumps({"model": "mock", "messages": [{"role": "user", "content": f"{i}: {MESSAGE}"}]}).encode()
        begun = time.perf_counter_ns()
        connection = connection or http.client.HTTPConnection(base.netloc)
        connection.request("POST", path, body, {"content-type": "application/json", "authorization": "Bearer any"})
        answer = connection.getresponse()
        text = answer.read()
        us = (time.perf_counter_ns() - begun) / 1000
        if sys.argv[2] == "fresh":
            connection.close()
            connection = None
        if answer.status != 200:
            raise SystemExit(f"call {i}: {answer.status} {text[:200]!r}")
        took.append((us, f'"content":"{i}: '.encode() not in text))
    with open(sys.argv[3], "w", encoding="ascii") as f:
        f.writelines(f"{us:.1f}\t{int(wrong)}\n" for us, wrong in took)


main()

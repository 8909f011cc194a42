"""An agent of nothing but the standard library: asks the model, runs what it wants, tells the result, until it wants no more.
usage: agent.py argv|shell|system
"""

import json
import os
import subprocess
import sys
import urllib.request


def chat(messages):
    body = {"model": "small", "messages": messages, "tools": [{"type": "function", "function": {"name": "run_shell_command"}}]}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json", "Authorization": "Bearer canary-key"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


def run(command):
    if sys.argv[1] == "argv":
        return subprocess.run(["bash", "-c", command], capture_output=True, check=False).stdout
    if sys.argv[1] == "env":
        return subprocess.run([os.environ["SHELL"], "-c", command], capture_output=True, check=False).stdout
    return subprocess.run(command, shell=True, capture_output=True, check=False).stdout


subprocess.run(["git", "--version"], stdout=subprocess.DEVNULL, check=False)
messages = [{"role": "user", "content": "canary-prompt"}]
while True:
    said = chat(messages)
    messages.append(said)
    if not said.get("tool_calls"):
        break
    for call in said["tool_calls"]:
        out = run(json.loads(call["function"]["arguments"])["command"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": out.decode()})
    subprocess.run(["git", "--version"], stdout=subprocess.DEVNULL, check=False)
print(said["content"])

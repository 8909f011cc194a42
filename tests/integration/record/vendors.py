"""Packages of vendors and frameworks, each led by nothing but the variables that `record` sets, to a server that knows only
the paths the real service has. What they are told is the same without the recorder, and the trace has both calls."""

import http.server
import json
import os
import re
import threading

import harness
from recording import HERE, each

SERVICES = (
    "openai", "anthropic", "gemini", "ollama", "cohere", "groq", "mistral", "xai", "deepseek", "openrouter", "together", "fireworks",
)
# ---- the server: two turns of each API ----

ARGS = {"place": "here"}
FIGURES = ((31, 7), (52, 5))  # input and output of the two calls


def chat(n, model):
    call = {"id": "call_abc12", "type": "function", "index": 0, "function": {"name": "look_up", "arguments": json.dumps(ARGS)}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]} if n == 0 else {"role": "assistant", "content": "it rains"}
    given, made = FIGURES[n]
    return {
        "id": f"chatcmpl-{n}", "object": "chat.completion", "created": 1, "model": model, "service_tier": "auto",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop" if n else "tool_calls"}],
        "usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made},
    }


def cohere(n, _):
    given, made = FIGURES[n]
    call = {"id": "look_up_0", "type": "function", "function": {"name": "look_up", "arguments": json.dumps(ARGS)}}
    message = {"role": "assistant", "tool_plan": "I look", "tool_calls": [call]} if n == 0 else \
        {"role": "assistant", "content": [{"type": "text", "text": "it rains"}]}
    return {
        "id": f"cohere-{n}", "finish_reason": "COMPLETE" if n else "TOOL_CALL", "message": message,
        "usage": {"billed_units": {"input_tokens": 1, "output_tokens": 1}, "tokens": {"input_tokens": given, "output_tokens": made}},
    }


def cohere_stream(n, model):
    whole = cohere(n, model)
    events = [{"type": "message-start", "id": whole["id"], "delta": {"message": {"role": "assistant"}}}]
    events += [
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": t}}}} for t in ("it ", "rains") if n
    ]
    for call in whole["message"].get("tool_calls", ()):
        events.append({"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": call}}})
        events.append({"type": "tool-call-end", "index": 0})
    events.append({"type": "message-end", "delta": {"finish_reason": whole["finish_reason"], "usage": whole["usage"]}})
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def gemini(n, model):
    given, made = FIGURES[n]
    part = {"text": "it rains"} if n else {"functionCall": {"name": "look_up", "args": ARGS}}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}], "modelVersion": model,
        "responseId": f"gemini-{n}",
        "usageMetadata": {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made},
    }


def ollama(n, model):
    given, made = FIGURES[n]
    message = {"role": "assistant", "content": "it rains"} if n else \
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look_up", "arguments": ARGS}}]}
    return {
        "model": model, "created_at": "2026-01-02T03:04:05Z", "message": message, "done": True, "done_reason": "stop",
        "prompt_eval_count": given, "eval_count": made,
    }


def messages(n, model):
    given, made = FIGURES[n]
    block = {"type": "text", "text": "it rains"} if n else {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": ARGS}
    return {
        "id": f"msg_{n}", "type": "message", "role": "assistant", "model": model, "content": [block],
        "stop_reason": "end_turn" if n else "tool_use", "stop_sequence": None, "usage": {"input_tokens": given, "output_tokens": made},
    }


# Behind the gateway's own prefix: exactly the paths of the real services, and no others.
PATHS = (
    (r"/(openai|mistral|xai|together)/v1/chat/completions", chat), (r"/groq/openai/v1/chat/completions", chat),
    (r"/openrouter/api/v1/chat/completions", chat), (r"/fireworks/inference/v1/chat/completions", chat),
    (r"/deepseek(/v1|/beta)?/chat/completions", chat), (r"/ollama/v1/chat/completions", chat),
    (r"/cohere/v2/chat", cohere),
    (r"/gemini/(v1|v1beta)/models/gemini-model:generateContent", gemini), (r"/ollama/api/chat", ollama),
    (r"/anthropic/v1/messages", messages),
)
RESULT = re.compile(rb'"role": ?"tool"|tool_result|function_?[rR]esponse')


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        for pattern, play in PATHS:
            if re.fullmatch(pattern, path):
                asked = json.loads(body)
                stream = play is cohere and asked.get("stream")
                answer = (cohere_stream if stream else play)(1 if RESULT.search(body) else 0, asked.get("model", "m"))
                return self.tell(200, answer if stream else json.dumps(answer), "text/event-stream" if stream else "application/json")
        self.server.refused.append(path)
        return self.tell(404, json.dumps({"message": "no such path", "error": {"message": "no such path"}}), "application/json")

    def tell(self, status, text, kind):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server:
    """Ends with the block."""

    def __enter__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        self.http.daemon_threads = True
        self.http.refused = []
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


# ---- one client ----


# Where the address of a service stands for all that is before the words of the API.
VERSIONS = {"openai": "/v1", "mistral": "/v1", "xai": "/v1", "together": "/v1", "openrouter": "/api/v1", "fireworks": "/inference/v1"}
KEYS = {name: "none" for name in ("CO_API_KEY", "GROQ_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY")}
LITELLM = ("groq", "mistral", "cohere", "gemini", "anthropic", "openai", "xai", "deepseek", "openrouter", "together", "fireworks")
CLIENTS = {
    **{name: [name] for name in ("groq", "mistral", "cohere", "gemini", "ollama")},
    "litellm": [f"litellm-{name}" for name in LITELLM],
}


def play(suite, program, name):
    with Server() as server:
        upstreams = {s: f"{server.url}/{s}{VERSIONS.get(s, '')}" for s in SERVICES}
        command = [program, "-B", os.path.join(HERE, "clients", "vendors_sdk.py"), *CLIENTS[name]]
        return name, suite.record(command, upstreams, more=KEYS, timeout=240), server.http.refused


def judge(suite, played):
    name, got, refused = played
    said = got.out.decode(errors="replace")
    parts = CLIENTS[name]
    right = got.status == 0 and said.count("it rains") == len(parts) and not refused
    if not suite.one(f"{name} is led to the paths that the service has", right, f"{refused} {said[-200:]} {got.err[-600:]}"):
        return
    suite.check(f"{name} leaves a trace without a finding", [(name, f) for f in suite.strict(got.where)], 1)
    trace = got.trace()
    calls = [c["model_call"] for c in trace.models()]
    figures = [(c["input_tokens"], c["output_tokens"], c["stop_reason"]) for c in calls]
    want = [(*FIGURES[0], "tool_use"), (*FIGURES[1], "end_turn")] * len(parts)
    suite.one(f"{name}: figures and stops are the service's", figures == want, f"{figures}")
    tools = [t["tool_call"]["name"] for t in trace.of("tool_call")]
    suite.one(f"{name}: each tool is there once", tools == ["look_up"] * len(parts), f"{tools}")
    ids = [c.get("response_id") for c in calls if name != "ollama"]  # which has none
    suite.one(f"{name}: answers keep the id of their body", all(i and i[-1] in "01" for i in ids), f"{ids}")
    versions = trace.summary["framework_version"] if trace.summary else {}
    suite.one(f"{name}: the summary names its package", versions, f"{versions}")


def run(suite):
    with open(os.path.join(HERE, "vendors.txt"), encoding="utf-8") as f:
        program = harness.python_packages(suite, "record-vendors", f.read(), "--no-deps")
    for played in each(lambda name: play(suite, program, name), CLIENTS, 2) if program else ():
        judge(suite, played)

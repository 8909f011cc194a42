"""Five interfaces of models with nothing but the standard library: ask one, and get (texts, calls) back."""

import json
import os
import urllib.error
import urllib.request

TEMPERATURE = 0.5


def post(url, body, headers=None):
    """The answer's bytes; a busy service is asked once more, as a client would."""
    data = json.dumps(body).encode()
    for attempt in range(3):
        request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            if e.code != 503 or attempt == 2:
                raise SystemExit(f"refused: {e.code}")
    return ""


def events(text):
    return [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and "[DONE]" not in line]


class Chat:
    """OpenAI's chat completions."""

    model = "gpt-4o"

    def __init__(self, streamed, temperature):
        self.streamed, self.temperature, self.history = streamed, temperature, []

    def user(self, text):
        self.history.append({"role": "user", "content": text})

    def results(self, calls, results):
        self.history.append({"role": "assistant", "tool_calls": [
            {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in calls]})
        for (i, _, _), r in zip(calls, results):
            self.history.append({"role": "tool", "tool_call_id": i, "content": r})

    def ask(self):
        body = {"model": self.model, "messages": self.history, "stream": self.streamed, "temperature": self.temperature}
        text = post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"authorization": "Bearer sk-any"})
        if not self.streamed:
            message = json.loads(text)["choices"][0]["message"]
            calls = message.get("tool_calls") or []
            return message.get("content") or "", [
                (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]
        said, parts = "", {}
        for event in events(text):
            for choice in event.get("choices") or []:
                said += choice["delta"].get("content") or ""
                for c in choice["delta"].get("tool_calls") or []:
                    part = parts.setdefault(c["index"], {"id": "", "name": "", "arguments": ""})
                    part["id"] += c.get("id") or ""
                    part["name"] += c["function"].get("name") or ""
                    part["arguments"] += c["function"].get("arguments") or ""
        return said, [(p["id"], p["name"], json.loads(p["arguments"])) for p in parts.values()]


class Responses(Chat):
    """OpenAI's responses."""

    model = "gpt-4.1"

    def results(self, calls, results):
        for i, n, a in calls:
            self.history.append({"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)})
        for (i, _, _), r in zip(calls, results):
            self.history.append({"type": "function_call_output", "call_id": i, "output": r})

    def ask(self):
        body = {"model": self.model, "input": self.history, "stream": self.streamed, "temperature": self.temperature}
        text = post(os.environ["OPENAI_BASE_URL"] + "/responses", body, {"authorization": "Bearer sk-any"})
        answer = json.loads(text) if not self.streamed else next(
            e["response"] for e in events(text) if e["type"] == "response.completed")
        said = "".join(c.get("text", "") for o in answer["output"] if o["type"] == "message" for c in o["content"])
        return said, [(o["call_id"], o["name"], json.loads(o["arguments"]))
                      for o in answer["output"] if o["type"] == "function_call"]


class Messages(Chat):
    """Anthropic's messages."""

    model = "claude-sonnet-4"

    def results(self, calls, results):
        self.history.append({"role": "assistant", "content": [
            {"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]})
        self.history.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": i, "content": r} for (i, _, _), r in zip(calls, results)]})

    def ask(self):
        body = {"model": self.model, "max_tokens": 500, "messages": self.history, "stream": self.streamed,
                "temperature": self.temperature}
        text = post(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body,
                    {"anthropic-version": "2023-06-01", "x-api-key": "any"})
        blocks = {} if self.streamed else dict(enumerate(json.loads(text)["content"]))
        for event in events(text) if self.streamed else ():
            if event["type"] == "content_block_start":
                blocks[event["index"]] = {**event["content_block"], "json": ""}
            elif event["type"] == "content_block_delta":
                block, delta = blocks[event["index"]], event["delta"]
                block["text"] = block.get("text", "") + delta.get("text", "")
                block["json"] += delta.get("partial_json", "")
        said = "".join(b.get("text", "") for b in blocks.values() if b["type"] == "text")
        return said, [(b["id"], b["name"], json.loads(b["json"]) if b.get("json") else b["input"])
                      for b in blocks.values() if b["type"] == "tool_use"]


class Gemini(Chat):
    """Google's generateContent."""

    model = "gemini-2.5-flash"

    def user(self, text):
        self.history.append({"role": "user", "parts": [{"text": text}]})

    def results(self, calls, results):
        self.history.append({"role": "model", "parts": [{"functionCall": {"name": n, "args": a}} for _, n, a in calls]})
        self.history.append({"role": "user", "parts": [
            {"functionResponse": {"name": n, "response": {"result": r}}} for (_, n, _), r in zip(calls, results)]})

    def ask(self):
        how = ":streamGenerateContent?alt=sse" if self.streamed else ":generateContent"
        body = {"contents": self.history, "generationConfig": {"temperature": self.temperature}}
        url = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/" + self.model + how
        text = post(url, body, {"x-goog-api-key": "any"})
        answers = events(text) if self.streamed else [json.loads(text)]
        parts = [p for a in answers for c in a.get("candidates") or [] for p in c.get("content", {}).get("parts") or []]
        calls = [p["functionCall"] for p in parts if "functionCall" in p]
        return "".join(p.get("text", "") for p in parts), [(None, c["name"], c.get("args") or {}) for c in calls]


class Ollama(Chat):
    """Ollama's own chat."""

    model = "llama3.2"

    def results(self, calls, results):
        self.history.append({"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": n, "arguments": a}} for _, n, a in calls]})
        for (_, n, _), r in zip(calls, results):
            self.history.append({"role": "tool", "tool_name": n, "content": r})

    def ask(self):
        body = {"model": self.model, "messages": self.history, "stream": self.streamed,
                "options": {"temperature": self.temperature}}
        text = post(os.environ["OLLAMA_HOST"] + "/api/chat", body)
        messages = [json.loads(line)["message"] for line in text.splitlines() if line.strip()]
        calls = [c["function"] for m in messages for c in m.get("tool_calls") or []]
        return "".join(m.get("content") or "" for m in messages), [(None, c["name"], c["arguments"]) for c in calls]


SHAPES = (Chat, Responses, Messages, Gemini, Ollama)

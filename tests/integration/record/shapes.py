"""Requests and answers of every API with a canary in each place where content can stand, and the canaries themselves."""

import gzip
import json
import string
import urllib.parse

from wire import chunked, cut, whole

WORDS = "amber basalt cedar delta ember fjord garnet harbor indigo jasper kelp lantern mosaic nectar onyx prairie".split()
LETTERS = string.ascii_letters + string.digits
# The services' own shapes of keys, in parts so that no scanner takes this file for a leak.
SHAPES = (
    "sk" + "-proj-{40}", "gh" + "p_{36}", "AK" + "IA{16}", "xo" + "xb-{12}-{24}", "hf" + "_{34}", "AI" + "za{35}", "{32}", "pw-{14}",
)


# Those that are told from any other text: these may not even be where a trace has names and ids.
CERTAIN = ("gh" + "p_{36}", "AI" + "za{35}", "sk" + "-ant-api03-{93}AA")


class Canaries:
    """Texts that can be nowhere by chance, and where each was put."""

    def __init__(self, random):
        self.random, self.put = random, {}
        self.keys = set()

    def text(self, n):
        return "".join(self.random.choices(LETTERS, k=n))

    def secret(self, place, shapes=SHAPES):
        shape = self.random.choice(shapes)
        while "{" in shape:
            size = shape[shape.index("{") + 1 : shape.index("}")]
            shape = shape.replace("{" + size + "}", self.text(int(size)), 1)
        return self.keep(shape, place)

    def words(self, place):
        words = [f"{self.random.choice(WORDS)}{self.text(4)}" for _ in range(5)]
        return self.keep(" ".join(words), place)

    def any(self, place):
        return self.secret(place) if self.random.random() < 0.4 else self.words(place)

    def keep(self, text, place):
        self.put[text] = place
        return text

    def key(self, place):
        """One that lets somebody in: it may not even be kept with the content."""
        text = self.secret(place)
        self.keys.add(text)
        return text


class Exchange:
    def __init__(self, service, path, body, answer, method="POST", headers=None, status=200):
        self.service, self.path, self.answer, self.method, self.status = service, path, answer, method, status
        self.body = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        self.headers = {"Content-Type": "application/json", **(headers or {})}


def sse(c, events, named=False):
    """A stream cut anywhere, so that texts are split within events as well."""
    text = "".join((f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events).encode()
    return chunked(cut(text, c.random.randrange(3, 60)))


def halves(text):
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def reply(value):
    return whole(json.dumps(value).encode(), headers=[("Set-Cookie", "none=1")])


def tools(c, where, wrap):
    schema = {"type": "object", "properties": {"p": {"type": "string", "description": c.any(f"{where} parameter")}}}
    return [wrap("lookup", c.any(f"{where} tool description"), schema)]


def chat_tool(name, description, schema):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def flat_tool(name, description, schema):
    return {"type": "function", "name": name, "description": description, "parameters": schema}


def claude_tool(name, description, schema):
    return {"name": name, "description": description, "input_schema": schema}


def bearer(c, where):
    return {"Authorization": f"Bearer {c.key(f'{where} authorization')}", "OpenAI-Organization": c.any(f"{where} header"),
            "Cookie": f"session={c.key(f'{where} cookie')}", "X-User-Name": c.any(f"{where} user name header")}


# ---- the shapes ----


def chat_request(c, where, stream):
    arguments = json.dumps({"q": c.any(f"{where} arguments")})
    call = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": arguments}}
    parts = [{"type": "text", "text": c.any(f"{where} part")},
             {"type": "image_url", "image_url": {"url": f"https://a.example/{c.any(f'{where} image')}"}}]
    return {"model": "/models/" + c.any(f"{where} model path") + "/tiny.gguf", "stream": stream,
            "user": c.any(f"{where} user"), "metadata": {"k": c.any(f"{where} metadata")},
            "tools": tools(c, where, chat_tool), "stop": [c.any(f"{where} stop")],
            "messages": [
                {"role": "system", "content": c.any(f"{where} system")},
                {"role": "user", "name": "u", "content": c.any(f"{where} user message")},
                {"role": "assistant", "content": c.any(f"{where} assistant"), "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call_1", "content": c.any(f"{where} result")},
                {"role": "user", "content": parts}]}


def chat(c):
    message = {"role": "assistant", "content": c.any("chat output"), "reasoning_content": c.any("chat reasoning"), "tool_calls": [
        {"id": "call_2", "type": "function", "function": {"name": f'lookup({c.any("chat tool name")})', "arguments": c.any("chat call")}}]}
    value = {"id": "chatcmpl-1", "model": "tiny", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
             "usage": {"prompt_tokens": 9, "completion_tokens": 3}, "system_fingerprint": c.any("chat fingerprint")}
    return Exchange("openai", "/chat/completions", chat_request(c, "chat", False), lambda: reply(value), headers=bearer(c, "chat"))


def chat_stream(c):
    deltas = [{"content": h} for h in halves(c.any("chat delta"))]
    deltas += [{"reasoning_content": h} for h in halves(c.any("chat thought"))]
    deltas += [{"tool_calls": [{"index": 0, "id": "call_3", "function": {"name": "lookup", "arguments": ""}}]}]
    arguments = json.dumps({"q": c.any("chat streamed arguments")})
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": h}}]} for h in halves(arguments)]
    events = [{"id": "chatcmpl-2", "model": "tiny", "choices": [{"index": 0, "delta": d}]} for d in deltas]
    return Exchange("openai", "/chat/completions", chat_request(c, "chat stream", True), lambda: sse(c, events),
                    headers=bearer(c, "chat stream"))


def responses(c):
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": c.any("responses input")},
                                     {"type": "input_file", "filename": c.any("file name"), "file_data": c.any("file data")}]},
        {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": json.dumps({"q": c.any("responses call")})},
        {"type": "function_call_output", "call_id": "c1", "output": c.any("responses result")}]
    body = {"model": "tiny", "instructions": c.any("responses instructions"), "input": items, "user": c.any("responses user"),
            "tools": tools(c, "responses", flat_tool), "prompt_cache_key": c.any("cache key")}
    output = [{"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": c.any("responses summary")}]},
              {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": c.any("responses output")}]},
              {"type": "function_call", "id": "f", "call_id": "c2", "name": "lookup", "arguments": json.dumps({"q": c.any("responses out call")})}]
    value = {"id": "resp_1", "object": "response", "status": "completed", "model": "tiny", "output": output,
             "usage": {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11}}
    return Exchange("openai", "/responses", body, lambda: reply(value), headers=bearer(c, "responses"))


def responses_stream(c):
    text = c.any("responses delta")
    done = {"id": "resp_2", "object": "response", "status": "completed", "model": "tiny",
            "output": [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11}}
    events = [{"type": "response.created", "response": {"id": "resp_2", "model": "tiny", "instructions": c.any("echoed instructions")}}]
    events += [{"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": h} for h in halves(text)]
    events += [{"type": "response.completed", "response": done}]
    body = {"model": "tiny", "input": c.any("responses text"), "stream": True}
    return Exchange("openai", "/responses", body, lambda: sse(c, events, True), headers=bearer(c, "responses stream"))


def embeddings(c):
    value = {"object": "list", "model": "emb", "data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 2, "total_tokens": 2}}
    body = {"model": "emb", "input": [c.any("embedding input"), c.any("embedding input")], "user": c.any("embedding user")}
    return Exchange("openai", "/embeddings", body, lambda: reply(value), headers=bearer(c, "embeddings"))


def anthropic_request(c, where, stream):
    return {"model": "claude-tiny", "max_tokens": 5, "stream": stream, "metadata": {"user_id": c.any(f"{where} user id")},
            "system": [{"type": "text", "text": c.any(f"{where} system")}], "tools": tools(c, where, claude_tool),
            "messages": [
                {"role": "user", "content": c.any(f"{where} user message")},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": c.any(f"{where} thinking"), "signature": c.any(f"{where} signature")},
                    {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"q": c.any(f"{where} input")}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": c.any(f"{where} result")}]}]}


def anthropic(c):
    content = [{"type": "text", "text": c.any("messages output")},
               {"type": "tool_use", "id": "toolu_2", "name": "lookup", "input": {c.any("messages argument name"): c.any("messages call")}}]
    value = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-tiny", "content": content,
             "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}}
    headers = {"x-api-key": c.key("messages x-api-key"), "anthropic-version": "2023-06-01", "anthropic-beta": c.any("messages beta")}
    return Exchange("anthropic", "/v1/messages", anthropic_request(c, "messages", False), lambda: reply(value), headers=headers)


def anthropic_stream(c):
    start = {"id": "msg_2", "type": "message", "role": "assistant", "model": "claude-tiny", "content": [],
             "usage": {"input_tokens": 3, "output_tokens": 1}}
    arguments = json.dumps({"q": c.any("messages streamed call")})
    events = [{"type": "message_start", "message": start},
              {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    events += [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": h}} for h in halves(c.any("messages delta"))]
    events += [{"type": "content_block_stop", "index": 0},
               {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_3", "name": "lookup", "input": {}}}]
    events += [{"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": h}} for h in halves(arguments)]
    events += [{"type": "content_block_stop", "index": 1},
               {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}, {"type": "message_stop"}]
    headers = {"x-api-key": c.key("messages stream x-api-key"), "anthropic-version": "2023-06-01",
               "x-claude-code-session-id": "0198f1d2-0000-7000-8000-000000000001"}
    return Exchange("anthropic", "/v1/messages", anthropic_request(c, "messages stream", True), lambda: sse(c, events, True), headers=headers)


def ollama(c):
    stream = c.random.random() < 0.5
    last = {"model": "tiny", "done": True, "done_reason": "stop", "prompt_eval_count": 4, "eval_count": 2,
            "message": {"role": "assistant", "content": ""}}
    pieces = [{"model": "tiny", "done": False, "message": {"role": "assistant", "content": h}} for h in halves(c.any("ollama output"))]
    lines = "".join(json.dumps(p) + "\n" for p in [*pieces, last]).encode()
    body = {"model": "tiny", "stream": stream, "messages": [
        {"role": "system", "content": c.any("ollama system")}, {"role": "user", "content": c.any("ollama user")},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "lookup", "arguments": {"q": c.any("ollama call")}}}]},
        {"role": "tool", "tool_name": "lookup", "content": c.any("ollama result")}]}
    if stream:
        return Exchange("ollama", "/api/chat", body, lambda: chunked(cut(lines, 9), kind="application/x-ndjson"))
    done = {**last, "message": {"role": "assistant", "content": c.any("ollama whole output"), "thinking": c.any("ollama thinking")}}
    return Exchange("ollama", "/api/chat", body, lambda: reply(done))


def generate(c):
    done = {"model": "tiny", "done": True, "response": c.any("generate output"), "prompt_eval_count": 4, "eval_count": 2}
    body = {"model": "tiny", "stream": False, "prompt": c.any("generate prompt"), "system": c.any("generate system"), "suffix": c.any("suffix")}
    return Exchange("ollama", "/api/generate", body, lambda: reply(done))


def gemini(c):
    stream = c.random.random() < 0.5
    body = {"systemInstruction": {"parts": [{"text": c.any("gemini system")}]},
            "tools": [{"functionDeclarations": [{"name": "lookup", "description": c.any("gemini tool")}]}],
            "contents": [{"role": "user", "parts": [{"text": c.any("gemini text")},
                                                    {"inlineData": {"mimeType": "text/plain", "data": c.any("gemini data")}}]},
                         {"role": "model", "parts": [{"functionCall": {"name": "lookup", "args": {"q": c.any("gemini call")}}}]},
                         {"role": "user", "parts": [{"functionResponse": {"name": "lookup", "response": {"r": c.any("gemini result")}}}]}]}
    parts = [{"text": c.any("gemini thought"), "thought": True}, {"text": c.any("gemini output")},
             {"functionCall": {"name": "lookup", "args": {"q": c.any("gemini out call")}}}]
    value = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}], "modelVersion": "gemini-tiny",
             "responseId": "r1", "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}}
    path = "/v1beta/models/gemini-tiny:" + ("streamGenerateContent?alt=sse&" if stream else "generateContent?")
    path += "key=" + urllib.parse.quote(c.key("gemini query key"))
    headers = {"x-goog-api-key": c.key("gemini header key")}
    return Exchange("gemini", path, body, (lambda: sse(c, [value])) if stream else (lambda: reply(value)), headers=headers)


def failure(c):
    """Errors, in the services' shapes and in others."""
    said = c.any("error body")
    value = c.random.choice([
        {"error": {"message": f"Incorrect key: {said}", "type": "invalid_request_error", "code": c.any("error code")}},
        {"type": "error", "error": {"type": "overloaded_error", "message": said}}, {"error": said}, [{"error": {"message": said}}]])
    text = f"<html>{said}</html>".encode() if c.random.random() < 0.3 else json.dumps(value).encode()
    service, path = c.random.choice([
        ("openai", "/chat/completions"), ("anthropic", "/v1/messages"), ("ollama", "/api/chat"), ("openai", "/responses")])
    body = {"model": "tiny", "messages": [{"role": "user", "content": c.any("failed prompt")}], "input": c.any("failed input")}
    status = c.random.choice([400, 401, 404, 429, 500, 529])
    return Exchange(service, path, body, lambda: whole(text, status=status, headers=[("x-why", said)]), headers=bearer(c, "failure"), status=status)


def misplaced(c):
    """Keys where a trace has names: as a model, a tool, an id of anything."""
    model, tool, call, own = (c.secret(f"key as {w}", CERTAIN) for w in ("model", "tool", "call id", "answer id"))
    message = {"role": "assistant", "content": "", "tool_calls": [
        {"id": call, "type": "function", "function": {"name": tool, "arguments": "{}"}}]}
    value = {"id": own, "model": model, "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
             "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    request_id = [("x-request-id", c.secret("key as request id", CERTAIN))] if c.random.random() < 0.5 else []
    headers = {"x-claude-code-agent-id": c.secret("key as agent", CERTAIN), "x-claude-code-session-id": c.secret("key as session", CERTAIN)}
    body = {"model": model, "messages": [{"role": "user", "content": c.any("beside keys")}]}
    return Exchange("openai", "/chat/completions", body, lambda: whole(json.dumps(value).encode(), headers=request_id), headers=headers)


def unknown(c):
    """Paths nobody knows, files with names, bodies that are no JSON or are packed."""
    kind = c.random.randrange(4)
    said = c.any("unknown answer").encode()

    def answer():
        return whole(said, kind="text/plain")

    if kind == 0:
        body = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{c.any("upload name")}"\r\n\r\n{c.any("upload")}\r\n--b--\r\n'
        return Exchange("openai", "/files", body.encode(), answer, headers={"Content-Type": "multipart/form-data; boundary=b", **bearer(c, "files")})
    if kind == 1:
        path = f"/files/{urllib.parse.quote(c.any('path'))}/content?token={urllib.parse.quote(c.key('query token'))}"
        return Exchange("openai", path, None, answer, method="GET", headers=bearer(c, "path"))
    if kind == 2:
        broken = ('{"model":"tiny","messages":[{"role":"user","content":"' + c.any("broken JSON")).encode()
        return Exchange("openai", "/chat/completions", broken, answer, headers=bearer(c, "broken"))
    packed = gzip.compress(json.dumps({"model": "tiny", "messages": [{"role": "user", "content": c.any("packed")}]}).encode())
    return Exchange("openai", "/chat/completions", packed, answer, headers={"Content-Encoding": "gzip", **bearer(c, "packed")})


def keyed_path(c):
    """Keys, people and directories in the path of an address, as gateways have them."""
    kinds = (("", "sk" + f"-helicone-eu-{c.text(7)}-{c.text(7)}-{c.text(7)}", ""), ("key=", c.text(24), ""), ("token/", c.text(40), ""),
             (f"bot{c.random.randrange(10**8, 10**9)}:", "AA" + c.text(33), ""),
             ("", "".join(c.random.choices("0123456789abcdef", k=64)), ""), ("users/", f"{c.text(10)}@example.com", ""),
             ("home/", c.text(12), "/x"))
    before, secret, after = c.random.choice(kinds)
    part = before + c.keep(secret, f"{before}... in a path") + after
    if before != "home/":
        c.keys.add(secret)
    message = {"role": "assistant", "content": c.any("keyed path output")}
    value = {"id": "k", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    body = {"model": "m", "messages": [{"role": "user", "content": c.any("keyed path message")}]}
    return Exchange("bare", f"/v1/{part}/chat/completions", body, lambda: reply(value))


KINDS = (chat, chat_stream, responses, responses_stream, embeddings, anthropic, anthropic_stream, ollama, generate, gemini, failure,
         misplaced, unknown, keyed_path)

"""Small agents on the plain clients of OpenAI and Anthropic, for any instrumentation. Each part asks a model of its own
name, by which its nodes are found in the trace; prompts, arguments and results hold the canary. Tools write down for
themselves when they ran."""

import asyncio
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

CANARY = os.environ["CANARY"]
LOG = os.environ["TOOL_LOG"]
LOCK = threading.Lock()
SECONDS = {"read_file": 0.06, "get_forecast": 0.12}
FORM = {"type": "object", "properties": {"x": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": FORM}} for name in SECONDS]
FLAT = [{"type": "function", "name": name, "parameters": FORM, "strict": False} for name in SECONDS]
SCHEMAS = [{"name": name, "input_schema": FORM} for name in SECONDS]


def note(name, begun, ended, call=None):
    with LOCK, open(LOG, "a", encoding="utf-8") as f:
        f.write(json.dumps({"name": name, "call": call, "begun_ns": begun, "ended_ns": ended}) + "\n")


def work(name, call=None):
    """What a tool does: it takes its time, and knows when it began and ended."""
    begun = time.time_ns()
    time.sleep(SECONDS[name])
    note(name, begun, time.time_ns(), call)
    return f"{CANARY} RESULT of {name}"


async def work_async(name):
    begun = time.time_ns()
    await asyncio.sleep(SECONDS[name])
    note(name, begun, time.time_ns())
    return f"{CANARY} RESULT of {name}"


def user(text):
    return {"role": "user", "content": f"{text} {CANARY}"}


def in_this_context(function):
    """The instrumentation's context, which threads do not have of themselves."""
    import contextvars

    return contextvars.copy_context().run, function


class Parts:
    """tool(name) wraps a function as the instrumentation's users do; agent(name) wraps a whole part."""

    def __init__(self, tool=None, agent=None):
        self.tool = tool or (lambda name: lambda f: f)
        self.agent = agent or (lambda name: lambda f: f)

    def call_tools(self, calls):
        """Results of (name, id) at the same time, each in a thread, in the context of the caller."""
        with ThreadPoolExecutor() as pool:
            asked = []
            for name, call in calls:
                run, f = in_this_context(self.tool(name)(work))
                asked.append(pool.submit(run, f, name, call))
            return [a.result() for a in asked]

    # ---- OpenAI ----

    def openai(self):
        import openai

        self.client = openai.OpenAI(api_key="sk-made-up", max_retries=1)
        self.agent("plain")(self.plain)()
        self.stream()
        for _ in self.agent("late")(self.late)():
            pass
        self.agent("loop")(self.loop)()
        self.agent("responses")(self.responses)()
        self.troubles(openai)
        self.client.embeddings.create(model="embed-small", input=[f"{CANARY} one", "two"], encoding_format="float")
        asyncio.run(self.together(openai))

    def plain(self):
        messages = [user("plain one")]
        for text in ("plain two", None):
            got = self.client.chat.completions.create(model="chat-plain", messages=messages)
            messages += [got.choices[0].message.model_dump(exclude_none=True), user(text)]

    def stream(self):
        for _ in self.client.chat.completions.create(
            model="chat-stream", messages=[user("stream one")], stream=True, stream_options={"include_usage": True}
        ):
            pass
        for _ in self.client.responses.create(model="responses-stream", input=f"stream two {CANARY}", stream=True):
            pass

    def late(self):
        """A stream that is read when the agent around it is over."""
        self.client.chat.completions.create(model="late-plain", messages=[user("late one")])
        return self.client.chat.completions.create(
            model="late-stream", messages=[user("late two")], stream=True, stream_options={"include_usage": True}
        )

    def loop(self):
        messages = [user("tools one")]
        while True:
            got = self.client.chat.completions.create(model="chat-tools", messages=messages, tools=TOOLS)
            message = got.choices[0].message
            if not message.tool_calls:
                return
            messages.append(message.model_dump(exclude_none=True))
            results = self.call_tools([(c.function.name, c.id) for c in message.tool_calls])
            for c, text in zip(message.tool_calls, results):
                messages.append({"role": "tool", "tool_call_id": c.id, "content": text})

    def responses(self):
        items = [user("responses tools")]
        while True:
            got = self.client.responses.create(model="responses-tools", input=items, tools=FLAT)
            calls = [i for i in got.output if i.type == "function_call"]
            if not calls:
                return
            items += [i.model_dump(exclude_none=True) for i in got.output]
            results = self.call_tools([(c.name, c.call_id) for c in calls])
            items += [{"type": "function_call_output", "call_id": c.call_id, "output": r} for c, r in zip(calls, results)]

    def troubles(self, openai):
        """A failure that the client itself tries again, one that the program does, and one that stays."""
        self.client.chat.completions.create(model="chat-retry", messages=[user("retry one")])
        once = self.client.with_options(max_retries=0)
        for model in ("chat-again", "chat-again", "chat-error"):
            try:
                once.chat.completions.create(model=model, messages=[user("again")])
            except openai.APIStatusError:
                pass

    async def together(self, openai):
        """Calls that look the same, at the same time."""
        async with openai.AsyncOpenAI(api_key="sk-made-up") as own:
            await asyncio.gather(
                *(own.chat.completions.create(model="chat-same", messages=[user("the same")]) for _ in range(8))
            )

    # ---- Anthropic ----

    def anthropic(self):
        import anthropic

        self.client = anthropic.Anthropic(api_key="sk-ant-made-up", max_retries=1)
        self.client.messages.create(model="messages-plain", max_tokens=99, messages=[user("plain one")])
        for _ in self.client.messages.create(model="messages-stream", max_tokens=99, messages=[user("two")], stream=True):
            pass
        self.agent("messages")(self.messages_loop)()

    def messages_loop(self):
        messages = [user("tools one")]
        while True:
            got = self.client.messages.create(model="messages-tools", max_tokens=99, messages=messages, tools=SCHEMAS)
            calls = [b for b in got.content if b.type == "tool_use"]
            if not calls:
                return
            results = self.call_tools([(c.name, c.id) for c in calls])
            messages.append({"role": "assistant", "content": [b.model_dump(exclude_none=True) for b in got.content]})
            blocks = [{"type": "tool_result", "tool_use_id": c.id, "content": r} for c, r in zip(calls, results)]
            messages.append({"role": "user", "content": blocks})

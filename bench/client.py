"""The peer of bench/client: what `trackway bench load` does, with aiohttp. It sends chat requests when they are due,
reads the streams, parses the JSON of every event, and takes the times.

usage: client.py URL --streams N --rate R --out FILE

FILE gets a line for each request: request_id, sent_ns (the body was given to the socket), token_ns (first content),
events; standard output a line of JSON: events, cpu_seconds of this process, failed.
"""
import argparse
import asyncio
import gc
import json
import resource
import time

import aiohttp

WORDS = "river stone light house green table water night paper music garden window street letter winter".split()


def body(number):
    prompt = " ".join(WORDS[(number * 7 + i * i) % len(WORDS)] for i in range(75))
    return json.dumps({
        "model": "bench", "messages": [{"role": "user", "content": f"{number} {prompt}"}],
        "stream": True, "stream_options": {"include_usage": True},
    }).encode()


class Request:
    __slots__ = ("request_id", "sent_ns", "token_ns", "events", "arrivals")

    def __init__(self):
        self.request_id, self.sent_ns, self.token_ns, self.events, self.arrivals = None, 0, 0, 0, []


async def note_sent(_session, context, _params):
    context.trace_request_ctx.sent_ns = time.monotonic_ns()


def take(r, data, now):
    """One event of a stream."""
    value = json.loads(data)
    r.events += 1
    if r.request_id is None:
        r.request_id = value.get("id")
    for choice in value.get("choices") or ():
        if choice["delta"].get("content"):
            if not r.token_ns:
                r.token_ns = now
            r.arrivals.append(now)


async def ask(session, url, r, payload):
    headers = {"Content-Type": "application/json"}
    async with session.post(url, data=payload, headers=headers, trace_request_ctx=r) as answer:
        answer.raise_for_status()
        r.request_id = answer.headers.get("x-request-id")
        rest = b""
        async for piece in answer.content.iter_any():
            now = time.monotonic_ns()
            rest += piece
            *events, rest = rest.split(b"\n\n")
            for event in events:
                data = event[6:] if event.startswith(b"data: ") else b"[DONE]"
                if data != b"[DONE]":
                    take(r, data, now)


async def later(at, loop, *args):
    await asyncio.sleep(max(0, at - loop.time()))
    await ask(*args)


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


async def main():
    p = argparse.ArgumentParser()
    p.add_argument("url")
    p.add_argument("--streams", type=int, required=True)
    p.add_argument("--rate", type=float, required=True)
    p.add_argument("--out", required=True)
    o = p.parse_args()
    trace = aiohttp.TraceConfig()
    trace.on_request_chunk_sent.append(note_sent)
    requests = [Request() for _ in range(o.streams)]
    bodies = [body(i) for i in range(o.streams)]
    loop = asyncio.get_running_loop()
    timeout = aiohttp.ClientTimeout(total=60)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, trace_configs=[trace]) as session:
        gc.collect()
        gc.freeze()
        before, start = cpu(), loop.time() + 0.02
        results = await asyncio.gather(*(
            later(start + i / o.rate, loop, session, o.url, requests[i], bodies[i]) for i in range(o.streams)
        ), return_exceptions=True)
        used = cpu() - before
    failed = [e for e in results if isinstance(e, BaseException)]
    with open(o.out, "w", encoding="utf-8") as out:
        for r in requests:
            out.write(json.dumps({"request_id": r.request_id, "sent_ns": r.sent_ns, "token_ns": r.token_ns,
                                  "events": r.events}) + "\n")
    print(json.dumps({"events": sum(r.events for r in requests), "cpu_seconds": used, "failed": len(failed),
                      "why": repr(failed[0]) if failed else None}))


asyncio.run(main())

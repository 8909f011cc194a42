"""The sets of tests/integration/listen/run."""
import asyncio
import collections
import json
import os
import random
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time

from listening import Client, Place, SLOWER, Watch, said_in

CLIENTS = int(os.environ.get("CLIENTS", "40"))
RUNS = int(os.environ.get("RUNS", "5"))
TURNS = 3
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)

passed = failed = 0


def check(good, what):
	global passed, failed
	passed += bool(good)
	failed += not good
	if not good:
		print(f"FAIL {what}")
	return good


def headers_of(c, r):
	"""A third of the clients name their runs, a third are sessions of an agent, the rest say nothing."""
	if c % 3 == 0:
		return [("X-Trackway-Run", f"client-{c}-run-{r}")]
	if c % 3 == 1:
		return [("X-Claude-Code-Session-Id", f"5e55{c:04x}-0000-4000-8000-{r:012x}"), ("User-Agent", "claude-cli/2.1.0")]
	return []


async def converse(client, c, r, note=None, pause=0, model=None):
	"""One run: a conversation of several turns, each with all that was said before."""
	talk = [{"role": "system", "content": "You help."}]
	for turn in range(TURNS):
		await asyncio.sleep(pause)
		talk.append({"role": "user", "content": f"question {turn} of client {c} in run {r}, seed {SEED}"})
		stream = (c + r + turn) % 2 == 0
		name = model(c, r, turn) if model else f"m-{c}-{r}"
		status, body = await client.ask({"model": name, "messages": talk, "stream": stream}, headers_of(c, r))
		if status != 200:
			raise ConnectionError(f"status {status}")
		if note is not None:
			note[name] = time.monotonic()
		talk.append({"role": "assistant", "content": said_in(body, stream)})


def models_of(lines):
	return [x["model_call"]["model"] for x in lines if x.get("kind") == "model_call"]


def clients():
	"""Many clients at once: every run is whole, and none is mixed with another."""
	async def one(url, c):
		client = Client(url)
		for r in range(RUNS):
			await converse(client, c, r)
		client.close()

	async def every(url):
		await asyncio.gather(*(one(url, c) for c in range(CLIENTS)))

	with Place() as place:
		p, url = place.record("--idle", "3")
		watch = Watch(p.pid)
		begun = time.monotonic()
		asyncio.run(every(url))
		took = time.monotonic() - begun
		time.sleep(6)
		status = place.end(p)
		watch.stop()
		ended = time.monotonic() - begun - took - 6
		check(status == 143, f"the exit status is {status}")
		seen = collections.Counter()
		for d, lines, meta in place.runs():
			names = models_of(lines)
			whole = len(names) == TURNS and len(set(names)) == 1
			check(whole, f"{d.name} has the calls {names}")
			seen.update(set(names))
			kinds = collections.Counter(x.get("kind") for x in lines)
			check(kinds["user_input"] == TURNS and lines[-1]["event_type"] == "summary" and
			      lines[-1]["exit_status"] == "success" and "ended" in meta, f"{d.name}: {kinds}")
		wanted = {f"m-{c}-{r}" for c in range(CLIENTS) for r in range(RUNS)}
		check(set(seen) == wanted and max(seen.values()) == 1, f"{len(seen)} runs of {len(wanted)}, "
		      f"{sum(v > 1 for v in seen.values())} in several directories")
		v = place.validate()
		check(v.returncode == 0, f"validate: {v.stdout[-500:]}{v.stderr[-500:]}")
		check("warning" not in place.text() and "error" not in place.text(), place.text()[-500:])
		print(f"clients: {CLIENTS} clients, {len(wanted)} runs, {len(wanted) * TURNS} calls in {took:.1f} s; the rest "
		      f"closed in {ended:.1f} s; {watch.memory / 1024:.0f} MiB at most, {watch.files} descriptors at most")


def free_port():
	with socket.socket() as s:
		s.bind(("127.0.0.1", 0))
		return s.getsockname()[1]


def kill():
	"""Killed in the middle and started again: no node that was completed is lost, and every run is completed."""
	answered = {}
	pause = 0.1 * SLOWER * max(1, CLIENTS / 40) # no more runs begin in a second than directories can be made

	async def one(url, c, over):
		client, r = Client(url), 0
		while not over.is_set():
			try:
				await converse(client, c, r, answered, pause, model=lambda c, r, t: f"k-{c}-{r}-{t}")
			except (OSError, ConnectionError, asyncio.IncompleteReadError, ValueError):
				client.close()
				await asyncio.sleep(0.05)
			r += 1
		client.close()

	async def every(place, port, first, url):
		over = asyncio.Event()
		tasks = [asyncio.create_task(one(url, c, over)) for c in range(CLIENTS)]
		await asyncio.sleep(3 * SLOWER * max(1, CLIENTS / 40))
		first.send_signal(signal.SIGKILL)
		first.wait()
		killed = time.monotonic()
		second, _ = place.record("--idle", "600", port=port)
		await asyncio.sleep(2 * SLOWER)
		over.set()
		await asyncio.gather(*tasks)
		return killed, second

	with Place() as place:
		port = free_port()
		first, url = place.record("--idle", "600", port=port)
		killed, second = asyncio.run(every(place, port, first, url))
		place.end(second)
		said = place.text()
		written = collections.Counter(m for _, lines, _ in place.runs() for m in models_of(lines))
		whole = all("ended" in meta and lines[-1]["event_type"] == "summary" for _, lines, meta in place.runs())
		# what was answered in the last moment may still have been on its way to the file
		sure = {m for m, at in answered.items() if at < killed - 0.5 * SLOWER or at > killed}
		lost = sure - set(written)
		check(not lost, f"lost: {sorted(lost)[:5]} and more, {len(lost)} of {len(sure)}")
		check(len(sure) > 100, f"only {len(sure)} calls")
		check(max(written.values()) == 1, "a call is in two runs")
		check(whole, "a run has no end")
		check("an earlier recorder was killed; completed" in said, said[:300])
		v = place.validate()
		check(v.returncode == 0, f"validate: {v.stdout[-500:]}{v.stderr[-500:]}")
		late = {m for m, at in answered.items() if killed - 0.5 * SLOWER <= at <= killed}
		print(f"kill: {len(sure)} calls answered, 0 lost but {len(late - set(written))} of {len(late)} in the last half "
		      f"second; {said.splitlines()[0] if said else ''}")


def ask_once(url, text, headers=(), ssl=None, path="/chat/completions"):
	async def one():
		client = Client(url, ssl)
		try:
			return await client.ask({"model": "m", "messages": [{"role": "user", "content": text}]}, headers, path)
		finally:
			client.close()
	return asyncio.run(one())


def token():
	"""TLS and a token: who has none is refused, and it is nowhere in what is written or said."""
	secret = "tell-no-one-0123456789abcdef"
	with Place() as place:
		made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				       "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=recorder", "-addext",
				       "subjectAltName=IP:127.0.0.1"], cwd=place.dir, capture_output=True)
		if made.returncode:
			print("skipped: openssl cannot make a certificate here")
			return
		(place.dir / "token").write_text(secret + "\n")
		p, url = place.record("--content", "--token-file", "token", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
				      "--allow-host", "recorder.example", host="0.0.0.0")
		check(url.startswith("https://recorder.example:") and "/t/$TRACKWAY_TOKEN/openai/v1" in url, url)
		url = url.replace("recorder.example", "127.0.0.1")
		bare = url.replace("/t/$TRACKWAY_TOKEN", "")
		trust = ssl.create_default_context(cafile=place.dir / "cert.pem")
		check(ask_once(bare, "a", ssl=trust)[0] == 401, "no token is let in")
		check(ask_once(bare, "a", [("X-Trackway-Token", "wrong" + secret)], trust)[0] == 401, "a wrong token is let in")
		check(ask_once(bare, "b", [("X-Trackway-Token", secret)], trust)[0] == 200, "the header")
		check(ask_once(url.replace("$TRACKWAY_TOKEN", secret), "c", (), trust)[0] == 200, "the path")
		check(ask_once(url.replace("$TRACKWAY_TOKEN", "x" * 20), "d", (), trust)[0] == 401, "a wrong path")
		plain = bare.replace("https:", "http:")
		check(ask_once(plain, "e", [("X-Trackway-Token", secret)])[0] == 400, "plain HTTP")
		status = place.end(p)
		check(status == 143, f"the exit status is {status}")
		said = place.text()
		check("no token, or a wrong one: 3" in said, said)
		files = [f for f in place.dir.rglob("*") if f.is_file() and f.name not in ("token", "key.pem")]
		found = [f.name for f in files if secret.encode() in f.read_bytes()]
		check(not found, f"the token is in {found}")
		check(len(list(place.runs())) == 2, "two runs")


def canary():
	"""Nothing of what is said, of names and of keys reaches what is written without --content."""
	word = "canary7531"
	with Place() as place:
		p, url = place.record("-v", "--idle", "1")
		asked = [("Authorization", f"Bearer sk-{word}"), ("X-Trackway-Run", f"a name with spaces /home/{word}")]
		ask_once(url, f"say {word}", asked)
		ask_once(url, f"say {word} again", [("X-Claude-Code-Session-Id", f"/home/{word}/x y")])
		ask_once(url, f"ask {word}", path=f"/chat/completions?key={word}")
		ask_once(url.replace("/openai/v1", ""), word, path=f"/{word}/chat/completions")
		time.sleep(3 * SLOWER)
		place.end(p)
		check(len(list(place.runs())) >= 3, "there are runs")
		found = [str(f) for f in place.dir.rglob("*") if f.is_file() and word.encode() in f.read_bytes()]
		check(not found, f"{word} is in {found}")
		check(place.validate().returncode == 0, "validate")


def keep():
	"""The oldest closed runs go, are told, and nothing else does."""
	with Place() as place:
		(place.dir / "runs" / "mine").mkdir(parents=True)
		(place.dir / "runs" / "mine" / "meta.json").write_text("{}")
		p, url = place.record("--idle", "1", "--keep", "20KiB")
		for i in range(20):
			ask_once(url, f"question {i}", [("X-Trackway-Run", f"run-{i}")])
		time.sleep(4 * SLOWER)
		place.end(p)
		left = [json.loads((d / "meta.json").read_text())["tags"]["run"] for d in (place.dir / "runs").iterdir()
			if d.is_dir() and d.name != "mine"]
		size = sum(f.stat().st_size for f in (place.dir / "runs").rglob("*") if f.is_file())
		check(0 < len(left) < 20 and "run-19" in left and "run-0" not in left, f"left: {left}")
		check(size <= 20 * 1024 + 100, f"{size} bytes")
		check((place.dir / "runs" / "mine" / "meta.json").exists(), "what is not ours is gone")
		check("--keep: removed" in place.text(), place.text())


def full():
	"""A disk that takes nothing more: traffic goes on, it is told once, and again when it does."""
	async def talk(url, turns):
		client, said = Client(url), []
		for i in range(turns):
			said.append({"role": "user", "content": f"question {i} " + "x" * 50})
			status, body = await client.ask({"model": "m", "messages": said}, [("X-Trackway-Run", "long")])
			said.append({"role": "assistant", "content": said_in(body, False)})
			check(status == 200, f"status {status}")
		client.close()

	with Place() as place:
		p, url = place.record("--idle", "2")
		asyncio.run(talk(url, 3))
		time.sleep(0.5)
		limits = resource.prlimit(p.pid, resource.RLIMIT_FSIZE)
		resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (1500, limits[1]))
		asyncio.run(talk(url, 5))
		ask_once(url, "a new one", [("X-Trackway-Run", "never")])
		time.sleep(1.5)
		check(place.text().count("RECORDING STOPPED") == 1, place.text())
		resource.prlimit(p.pid, resource.RLIMIT_FSIZE, limits)
		time.sleep(2.5)
		ask_once(url, "another", [("X-Trackway-Run", "later")])
		time.sleep(4 * SLOWER)
		place.end(p)
		check(place.text().count("RECORDING STOPPED") == 1 and place.text().count("recording goes on") == 1, place.text())
		check(place.validate().returncode == 0, "validate: " + place.validate().stdout[-500:])
		found = {meta["tags"]["run"]: lines for _, lines, meta in place.runs()}
		check({"long", "later"} <= set(found), f"runs: {set(found)}")


def stop():
	"""One signal lets what is on its way finish; a second cuts it off, and the run is interrupted; none loses a run."""
	rule = {"schema": "trackway.mock/1", "rules": [{"match": {}, "reply": {"text": "late"}, "pace": {"ttft_ms": 2500}}]}

	async def ask(url):
		client = Client(url)
		try:
			return (await client.ask({"model": "m", "messages": [{"role": "user", "content": "x"}]}))[0]
		except (ConnectionError, asyncio.IncompleteReadError):
			return 0
		finally:
			client.close()

	async def ask_often(url, runs):
		client = Client(url)
		for n in range(runs):
			await client.ask({"model": "m", "messages": [{"role": "user", "content": "x"}]}, [("X-Trackway-Run", f"r{n}")])
		client.close()

	async def during(p, url, times):
		task = asyncio.create_task(ask(url))
		for _ in range(times):
			await asyncio.sleep(0.7)
			p.send_signal(signal.SIGTERM)
		return await task

	for times, wanted, ended in ((1, 200, "success"), (2, 0, "interrupted")):
		with Place() as place:
			(place.dir / "slow.json").write_text(json.dumps(rule))
			place.service = place.start("mock", "-q", "--script", "slow.json").stdout.readline().strip()
			p, url = place.record()
			got = asyncio.run(during(p, url, times))
			status = p.wait(timeout=30 * SLOWER)
			check((got, status) == (wanted, 143), f"{times} signals: answered {got}, exit status {status}")
			(_, lines, meta), = place.runs()
			check(lines[-1]["exit_status"] == ended, f"{times} signals: {lines[-1]['exit_status']}, {meta['exit']}")
			check(place.validate().returncode == 0, "validate")
	with Place() as place:
		p, url = place.record()
		asyncio.run(ask_often(url, 400))
		p.send_signal(signal.SIGTERM)
		while p.poll() is None and not list((place.dir / "runs").glob("*/summary.json")):
			pass
		p.send_signal(signal.SIGTERM)
		status = p.wait(timeout=60 * SLOWER)
		whole = sum(lines[-1]["event_type"] == "summary" for _, lines, _ in place.runs())
		check((status, whole) == (143, 400), f"a second signal while runs are written: {whole} of 400 whole, exit {status}")


SETS = {"stop": stop, "clients": clients, "kill": kill, "token": token, "canary": canary, "keep": keep, "full": full}

if __name__ == "__main__":
	for name in sys.argv[1:] or SETS:
		SETS[name]()
	print(f"seed {SEED}")
	print(f"{passed} passed, {failed} failed, 0 skipped")
	sys.exit(failed > 0)

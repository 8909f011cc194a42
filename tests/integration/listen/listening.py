"""A recorder that listens and its clients, for the tests of this directory: standard library only."""
import asyncio
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

TRACKWAY = os.path.abspath(os.environ.get("TRACKWAY", "build/trackway"))
SLOWER = float(os.environ.get("TRACKWAY_TEST_SLOWER", "1"))


class Place:
	"""A directory, an environment and a mock; ends what was started in it."""

	def __init__(self):
		self.temporary = tempfile.TemporaryDirectory()
		self.dir = pathlib.Path(self.temporary.name)
		(self.dir / "runtime").mkdir(mode=0o700)
		self.env = dict(os.environ, TRACKWAY_HOME=str(self.dir / "home"), XDG_RUNTIME_DIR=str(self.dir / "runtime"))
		self.env.pop("TRACKWAY_SOCKET", None)
		self.started = []

	def __enter__(self):
		self.mock = self.start("mock", "-q")
		self.service = self.mock.stdout.readline().strip()
		return self

	def __exit__(self, *_):
		for p in self.started:
			if p.poll() is None:
				p.kill()
			p.wait()
			p.stdout.close()
		self.temporary.cleanup()

	def start(self, *words, **more):
		p = subprocess.Popen([TRACKWAY, *words], stdout=subprocess.PIPE, text=True, cwd=self.dir,
				     env=self.env, stderr=more.pop("stderr", subprocess.DEVNULL), **more)
		self.started.append(p)
		return p

	def record(self, *words, host="127.0.0.1", port=0, out="runs", **more):
		"""The recorder and its address."""
		self.said = open(self.dir / f"said-{len(self.started)}", "w+")
		p = self.start("record", "--listen", f"{host}:{port}", "-o", out, "--upstream", f"openai={self.service}/v1",
			       "--upstream", f"anthropic={self.service}", *words, stderr=self.said, **more)
		for line in p.stdout:
			if line.startswith("export OPENAI_BASE_URL="):
				url = line.strip().split("=", 1)[1]
				threading.Thread(target=p.stdout.read, daemon=True).start()
				return p, url
		self.said.seek(0)
		raise SystemExit(f"the recorder did not start: {self.said.read()}")

	def end(self, p, how=signal.SIGTERM):
		p.send_signal(how)
		return p.wait(timeout=120 * SLOWER)

	def text(self):
		self.said.seek(0)
		return self.said.read()

	def runs(self, out="runs"):
		"""Every run: its path, its lines, its meta.json."""
		for d in sorted((self.dir / out).iterdir()):
			if (d / "meta.json").exists():
				lines = [json.loads(x) for x in (d / "agent-trace.jsonl").read_text().splitlines()]
				yield d, lines, json.loads((d / "meta.json").read_text())

	def validate(self, out="runs"):
		return subprocess.run([TRACKWAY, "validate", "-q", out], cwd=self.dir, env=self.env, text=True,
				      capture_output=True)


class Client:
	"""One connection that is kept; asks for answers as SDKs do."""

	def __init__(self, url, ssl=None):
		self.host, self.port, self.path = re.fullmatch(r"https?://([^:/]+):(\d+)(.*)", url).groups()
		self.streams, self.ssl = None, ssl

	async def ask(self, body, headers=(), path="/chat/completions", method="POST"):
		data = json.dumps(body).encode() if body is not None else b""
		head = f"{method} {self.path}{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nContent-Type: application/json\r\n"
		head += "".join(f"{k}: {v}\r\n" for k, v in headers) + f"Content-Length: {len(data)}\r\n\r\n"
		if not self.streams:
			self.streams = await asyncio.open_connection(self.host, int(self.port), ssl=self.ssl)
		reader, writer = self.streams
		writer.write(head.encode() + data)
		await writer.drain()
		first = await reader.readline()
		if not first:
			raise ConnectionError("closed")
		status, length, chunked = int(first.split()[1]), 0, False
		while (line := await reader.readline()) not in (b"\r\n", b""):
			name, value = line.decode().split(":", 1)
			length = int(value) if name.lower() == "content-length" else length
			chunked = chunked or (name.lower() == "transfer-encoding" and "chunked" in value)
		got = b""
		while chunked:
			size = int(await reader.readline(), 16)
			got += (await reader.readexactly(size + 2))[:size]
			if size == 0:
				break
		if not chunked:
			got = await reader.readexactly(length)
		return status, got

	def close(self):
		if self.streams:
			self.streams[1].close()
			self.streams = None


def said_in(body, stream):
	"""The text of an answer."""
	if not stream:
		return json.loads(body)["choices"][0]["message"]["content"]
	text = ""
	for line in body.decode().splitlines():
		if line.startswith("data: {"):
			for c in json.loads(line[6:])["choices"]:
				text += c["delta"].get("content") or ""
	return text


class Watch:
	"""Memory and descriptors of a process, their highest."""

	def __init__(self, pid):
		self.pid, self.files, self.memory, self.open = pid, 0, 0, True
		self.thread = threading.Thread(target=self.look, daemon=True)
		self.thread.start()

	def look(self):
		while self.open:
			try:
				self.files = max(self.files, len(os.listdir(f"/proc/{self.pid}/fd")))
				status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
				self.memory = int(re.search(r"VmHWM:\s+(\d+)", status)[1])
			except (OSError, TypeError):
				return
			time.sleep(0.1)

	def stop(self):
		self.open = False
		self.thread.join()

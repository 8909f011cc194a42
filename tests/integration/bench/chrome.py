"""A real browser without a window, spoken to over two pipes (the DevTools protocol): no driver, no socket, no port."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time

import harness

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-extensions",
         "--disable-sync", "--metrics-recording-only", "--mute-audio", "--remote-debugging-pipe"]


class Gone(harness.Broken):
    """The browser gave no answer."""


def find():
    return next((p for p in map(shutil.which, NAMES) if p), None)


def high(fd):
    """The same at a number that is in nobody's way."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 40)
    os.close(fd)
    return moved


class Chrome:
    def __init__(self, program, place, seconds=60):
        there, self.out = os.pipe()
        self.into, back = os.pipe()
        there, back = high(there), high(back)
        self.seconds, self.number, self.rest, self.events = seconds, 0, b"", []
        self.log = open(os.path.join(place, "browser.log"), "wb")
        self.child = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{there} 4>&{back}', program, *FLAGS, f"--user-data-dir={place}/profile",
             "about:blank"],
            pass_fds=(there, back), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
            env={**os.environ, "HOME": place})
        os.close(there)
        os.close(back)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.child.wait(10)
        except (Gone, OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.child.pid, signal.SIGKILL)  # its helpers are in its group
        except ProcessLookupError:
            pass
        self.child.wait()
        os.close(self.out)
        os.close(self.into)
        self.log.close()

    def message(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise Gone("the browser does not answer")
            more = os.read(self.into, 1 << 20)
            if not more:
                raise Gone("the browser has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        os.write(self.out, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            m = self.message(until)
            if m.get("id") == self.number:
                if "error" in m:
                    raise Gone(f"{method}: {m['error']['message']}")
                return m["result"]
            self.events.append(m)

    def wait(self, name, session):
        until = time.monotonic() + self.seconds
        while not any(e.get("method") == name and e.get("sessionId") == session for e in self.events):
            self.events.append(self.message(until))


class Page:
    """One page in one shape."""

    def __init__(self, chrome, address, width=1280, height=900, dark=False, scripts=True):
        self.chrome = chrome
        self.target = chrome.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = chrome.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        chrome.events.clear()
        self.call("Page.navigate", url=address)
        chrome.wait("Page.loadEventFired", self.session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.chrome.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **parameters):
        return self.chrome.call(method, self.session, **parameters)

    def ask(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in got:
            raise Gone(got["exceptionDetails"].get("exception", {}).get("description", "it threw"))
        return got["result"].get("value")

    def heard(self):
        """Method and parameters of what has happened on this page so far."""
        return [(e["method"], e["params"]) for e in self.chrome.events if e.get("sessionId") == self.session]

    def picture(self, whole=True):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

"""Chromium without a window, driven over its own pipe: no package beside Python's is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
TIMEOUT = 120
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
)  # fmt: skip


class Chromium:
    """One browser with one page; `events` are what it reported, (method, parameters) each."""

    def __init__(self, profile):
        """Start it; `profile` is a folder for its own files."""
        ours_in, its_out = os.pipe()
        its_in, ours_out = os.pipe()
        # It reads commands from descriptor 3 and answers on 4.
        moved = f'exec "$0" "$@" 3<&{its_in} 4>&{its_out}'
        command = [PROGRAM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", moved, *command],
            pass_fds=(its_in, its_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(its_in)
        os.close(its_out)
        self.read, self.write = ours_in, ours_out
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def _next(self):
        """Read one message."""
        end = time.monotonic() + TIMEOUT
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, end - time.monotonic()))
            chunk = os.read(self.read, 1 << 16) if ready else b""
            if not chunk:
                raise TimeoutError("chromium does not answer")
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(message)
        if "method" in message:
            self.events.append((message["method"], message.get("params", {})))
        return message

    def ask(self, command, **parameters):
        """Send a command; give its result."""
        self.number += 1
        sent = {"id": self.number, "method": command, "params": parameters}
        if self.session:
            sent["sessionId"] = self.session
        os.write(self.write, json.dumps(sent).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self.number:
                assert "error" not in message, message["error"]
                return message["result"]

    def open(self, path, width, height=900, scheme="light"):
        """Load a file, or an address, in a window of this width, as a telephone where narrow."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media="", features=features)
        self.events.clear()
        self.ask("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        while not any(name == "Page.loadEventFired" for name, _ in self.events):
            self._next()

    def value(self, expression):
        """The value of a JavaScript expression in the page."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def errors(self):
        """What the page wrote to the console as errors, and exceptions."""
        self.value("0")  # whatever it reported before this answer is here with it
        return [
            (name, detail) for name, detail in self.events
            if name == "Runtime.exceptionThrown"
            or (name == "Runtime.consoleAPICalled" and detail["type"] in ("error", "assert"))
            or (name == "Log.entryAdded" and detail["entry"]["level"] == "error")
        ]  # fmt: skip

    def requests(self):
        """The addresses that the page asked for."""
        sent = [detail for name, detail in self.events if name == "Network.requestWillBeSent"]
        return [detail["request"]["url"] for detail in sent]

    def printed(self):
        """The page as it is printed on A4: PDF."""
        size = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True, **size)["data"])

    def close(self):
        """End it."""
        os.close(self.write)
        os.close(self.read)
        self.process.terminate()
        self.process.wait(TIMEOUT)

"""A headless chromium, controlled by the DevTools protocol through two pipes, for the tests of reports."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds for one answer, on a busy machine


def executable() -> str | None:
    """The path of a chromium, or None."""
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


class Browser:
    """A browser; ``page`` opens a page in it."""

    def __init__(self) -> None:
        path = executable()
        assert path is not None
        self._profile = tempfile.mkdtemp(prefix="czz-browser-")
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def wire() -> None:  # chromium reads commands from descriptor 3 and answers on 4
            first, second = os.dup(to_read), os.dup(to_write)  # duplicated first, as one of them may be 3 or 4
            os.dup2(first, 3)
            os.dup2(second, 4)

        flags = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        self._log = Path(self._profile, "stderr").open("wb")  # noqa: SIM115 - closed in close()
        self._process = subprocess.Popen(
            [path, *flags, "--remote-debugging-pipe", f"--user-data-dir={self._profile}/user"],
            preexec_fn=wire,  # noqa: PLW1509 - it only moves descriptors
            close_fds=False,
            stdout=self._log,
            stderr=self._log,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._log.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that arrive before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def wait_for(self, session: str, method: str) -> None:
        """Wait for an event of a page."""
        deadline = time.monotonic() + PATIENCE
        while not any(e.get("sessionId") == session and e["method"] == method for e in self.events):
            self.events.append(self._receive(deadline))

    def page(self, path: Path, scheme: str = "light", width: int = 1280, height: int = 900) -> Page:
        """The page of a file, once it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", session, features=features)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", session, **size)
        self.call("Page.navigate", session, url=path.as_uri())
        self.wait_for(session, "Page.loadEventFired")
        return Page(self, session)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, (
                f"no answer from the browser: {Path(self._profile, 'stderr').read_text(errors='replace')[-2000:]}"
            )
            received = os.read(self._from, 1 << 20)
            assert received, f"the browser died: {Path(self._profile, 'stderr').read_text(errors='replace')[-2000:]}"
            self._buffer += received
        message, self._buffer = self._buffer.split(b"\0", 1)
        return dict(json.loads(message))


class Page:
    """An open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.browser.call("Runtime.evaluate", self.session, expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def promise(self, expression: str) -> Any:
        """The value of a promise in the page, once it is fulfilled."""
        options = {"returnByValue": True, "awaitPromise": True}
        answer = self.browser.call("Runtime.evaluate", self.session, expression=expression, **options)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Press and release the mouse at the middle of an element, which is scrolled into view."""
        self.js(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect(); "
        x, y = self.js(box + "return [b.left + b.width / 2, b.top + b.height / 2]; })()")
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """An event of the mouse."""
        options = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1, **more}
        self.browser.call("Input.dispatchMouseEvent", self.session, type=kind, x=x, y=y, **options)

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.browser.call(
                "Input.dispatchKeyEvent", self.session, type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more
            )

    def type(self, text: str) -> None:
        """Type into the element that has the focus."""
        self.browser.call("Input.insertText", self.session, text=text)

    def screenshot(self) -> bytes:
        """A PNG of the visible part of the page, once it has been painted."""
        self.browser.call("Page.bringToFront", self.session)
        painted = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.browser.call("Runtime.evaluate", self.session, expression=painted, awaitPromise=True)
        return base64.b64decode(self.browser.call("Page.captureScreenshot", self.session, format="png")["data"])

    def pdf(self) -> bytes:
        """The printed page."""
        return base64.b64decode(self.browser.call("Page.printToPDF", self.session, printBackground=True)["data"])

    def complaints(self) -> list[dict[str, Any]]:
        """Messages on the console of the page, and its errors."""
        told = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [e for e in self._events() if e["method"] in told]

    def requests(self) -> list[str]:
        """The addresses that the page has requested."""
        return [e["params"]["request"]["url"] for e in self._events() if e["method"] == "Network.requestWillBeSent"]

    def _events(self) -> list[dict[str, Any]]:
        self.js("1")  # events that are under way arrive before the answer
        return [e for e in self.browser.events if e.get("sessionId") == self.session]

# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, driven by the DevTools protocol over two pipes: https://chromedevtools.github.io/devtools-protocol/

Only what the tests of the page need: scripts, keys, the pointer, and screenshots as rows of pixels.
"""
import base64
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import time
import zlib

PATIENCE_S = 60


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Broken(Exception):
    pass


class Browser:
    """A page in a browser of its own. complaints: errors and warnings of the console; requests: addresses that the page asked for."""

    def __init__(self, program, folder, width=1200, height=800):
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def take_pipes():
            os.setsid()
            os.dup2(to_read, 1003)
            os.dup2(to_write, 1004)
            os.dup2(1003, 3)
            os.dup2(1004, 4)

        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-component-update", "--force-device-scale-factor=1", "--remote-debugging-pipe",
                   f"--user-data-dir={folder}/profile", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=take_pipes)
        os.close(to_read)
        os.close(to_write)
        self.bytes, self.number, self.session = b"", 0, None
        self.complaints, self.requests, self.events = [], [], []
        self.width, self.height = width, height
        page = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)

    def receive(self, until):
        while b"\0" not in self.bytes:
            if not select.select([self.read_end], [], [], max(0, until - time.monotonic()))[0]:
                raise Broken("no answer of the browser")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise Broken("the browser has ended")
            self.bytes += more
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, values = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(values["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self.receive(until)
            if answer.get("id") != self.number:
                self.note(answer)
            elif "error" in answer:
                raise Broken(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + PATIENCE_S
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive(until))

    def run(self, script):
        """The value of an expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Broken(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def drawn(self):
        """Waits for the next frame, and tells what it holds."""
        return self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(page.view.drawn))))")

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, **(text if kind == "keyDown" else {}))
        return self.drawn()

    def pointer(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.pointer(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.pointer(x, y, kind, button="left", clickCount=1)
        return self.drawn()

    def click_on(self, selector):
        x, y = self.run(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                        " return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        return self.click(x, y)

    def colours(self, x0, y0, x1, y1):
        """Those of a screenshot between two corners."""
        clip = {"x": int(x0), "y": int(y0), "width": int(x1 - x0), "height": int(y1 - y0), "scale": 1}
        return Pixels(base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"])).colours()


class Pixels:
    """A PNG of 8 bits a channel, without interlacing: what the browser writes."""

    def __init__(self, data):
        at, packed = 8, b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, _, colour = struct.unpack(">IIBB", body[:10])
                self.bytes = {2: 3, 6: 4}[colour]
            elif kind == b"IDAT":
                packed += body
            at += length + 12
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, raw):
        step, size, rows, above = self.bytes, self.width * self.bytes, [], bytearray(self.width * self.bytes)
        for y in range(self.height):
            how, row = raw[y * (size + 1)], bytearray(raw[y * (size + 1) + 1:(y + 1) * (size + 1)])
            if how == 2:
                row = bytearray((one + other) & 255 for one, other in zip(row, above))
            elif how:
                for i in range(size):
                    left = row[i - step] if i >= step else 0
                    corner = above[i - step] if i >= step else 0
                    row[i] = (row[i] + self.guess(how, left, above[i], corner)) & 255
            rows.append(row)
            above = row
        return rows

    @staticmethod
    def guess(how, left, up, corner):
        if how == 1:
            return left
        if how == 3:
            return (left + up) // 2
        best = left + up - corner
        return min((left, up, corner), key=lambda one: abs(best - one))

    def colours(self):
        return {tuple(row[i:i + 3]) for row in self.rows for i in range(0, len(row), self.bytes)}

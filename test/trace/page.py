#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The forms of a trace for the eye, of the program pictures.c: the still pictures (--svg), and the page (--html) in a browser.

page.py LAUNCH HOST LIBRARY PROA PROGRAM    without Chromium the page is looked at without it, and the status is 77
"""
import base64
import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

sys.dont_write_bytecode = True
import browser
from traced import check, launch, scratch

launcher, host, library, proa, program = sys.argv[1:]
OPERATIONS = 2000  # of each rank, beyond the figures
WINDOWS = ["strong", "weak", "lock", "fence", "conflict </script>", "far", "many"]
SVG = "{http://www.w3.org/2000/svg}"


# ---- still pictures ----


class Figure:
    """calls: rank, name and height of each; arrows: kind, from where to where."""

    def __init__(self, folder, wish):
        done = subprocess.run([proa, "trace", "--svg", wish, folder], stdout=subprocess.PIPE, text=True, check=True)
        root = tree.fromstring(done.stdout)
        self.calls, self.arrows = [], []
        for group in root.iter(SVG + "g"):
            box = group.find(SVG + "rect")
            self.calls.append((int(group.get("data-rank")), group.get("data-call"), float(box.get("y"))))
        for path in root.iter(SVG + "path"):
            if path.get("data-kind"):
                ends = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
                self.arrows.append((path.get("data-kind"), *ends, path.get("marker-end") is not None))
        self.shades = [(box.get("class"), int(box.get("data-rank"))) for box in root.iter(SVG + "rect") if box.get("data-rank")]
        self.waits = [box for box in root.iter(SVG + "rect") if box.get("class") == "wait"]
        self.texts = [text.text for text in root.iter(SVG + "text")]
        self.calls.sort(key=lambda call: call[2])

    def order(self):
        return [(rank, name) for rank, name, _ in self.calls]

    def kinds(self):
        return sorted(arrow[0] for arrow in self.arrows)

    def arrow(self, kind):
        return next(arrow for arrow in self.arrows if arrow[0] == kind)


def collide(one, other):
    """Calls of two ranks may begin in the same nanosecond: they share a row, each in its rank's column."""
    apart = abs(one[2] - other[2])
    return apart < 20 and not (apart == 0 and one[0] != other[0])


def look_at_figures(folder):
    strong = Figure(folder, "1:1-1")
    check(strong.order() == [(1, "post"), (0, "start"), (0, "put"), (0, "put"), (0, "complete"), (1, "wait")], f"strong: {strong.order()}")
    check(strong.kinds() == ["complete", "data", "data", "post"], f"strong: arrows {strong.kinds()}")
    check(sorted(strong.shades) == [("access", 0), ("exposure", 1)], f"strong: {strong.shades}")
    weak = Figure(folder, "2:1-1")
    check(weak.order()[:3] == [(0, "start"), (0, "put"), (1, "post")], f"weak: {weak.order()}")
    check(weak.waits, "weak: the put does not wait")
    passive = Figure(folder, "3:1-1")
    check([call for call in passive.order() if call[0] == 1] == [], "lock: the target takes part")
    check(passive.kinds() == ["data", "data", "unlock"], f"lock: arrows {passive.kinds()}")
    _, x0, y0, x1, y1, _ = passive.arrow("unlock")
    check(x0 < x1 and y0 < y1, "lock: the arrow does not lead from the first origin down to the second")
    check([arrow[5] for arrow in passive.arrows if arrow[0] == "data"] == [True, False], "lock: a put leads to the target, a get from it")
    fence = Figure(folder, "4:1-1")
    check(fence.kinds() == ["data"] * 3 + ["fence"] * 2, f"fence: arrows {fence.kinds()}")
    check(sorted(set(fence.shades)) == [("fence", 0), ("fence", 1), ("fence", 2)], f"fence: {fence.shades}")
    for figure in (strong, weak, passive, fence):
        check(not any(collide(one, other) for one, other in itertools.combinations(figure.calls, 2)), f"names collide: {figure.calls}")
        check(all(arrow[2] <= arrow[4] for arrow in figure.arrows if arrow[0] != "data"), f"an arrow leads back: {figure.arrows}")


def look_at_mistakes(folder):
    for wish, why in (("9:1-1", "no window 9"), ("1:7-8", "no epochs 7 to 8"), ("1:2-1", "no WINDOW:FIRST-LAST"), ("x", "no WINDOW:FIRST-LAST")):
        done = subprocess.run([proa, "trace", "--svg", wish, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        check(done.returncode == 1 and why in done.stderr and not done.stdout, f"--svg {wish}: {done.stderr}")
    done = subprocess.run([proa, "trace", "--html", folder + "/none/page.html", folder], stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 1 and "none/page.html" in done.stderr, f"a page in a folder that is not there: {done.stderr}")


# ---- the page ----


def write_page(folder):
    path = folder + "/page.html"
    subprocess.run([proa, "trace", "--html", path, folder], check=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    check(not re.search(r"(src|href)=\"(?!data:)", text), "the page refers to another file")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    check([window["name"] for window in data["windows"]] == WINDOWS, f"windows {data['windows']}")
    check(sum(row[0] == 0 for row in data["rows"]) > 2 * 3 * OPERATIONS, "operations are missing")
    return path


def chosen(page):
    return page.run("(page.view.chosen && page.view.chosen.is === 'event') ? [page.data.names[page.view.chosen.call], page.view.chosen.p] : null")


def colour_of(page, name):
    text = page.run(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


def filters(page):
    """The window, the ranks and the kinds."""
    everything = page.run("page.view.events.length")
    page.run("(() => { const box = document.getElementById('window'); box.value = 0; box.dispatchEvent(new Event('change')); })()")
    drawn = page.drawn()
    check(page.run("page.view.events.filter((event) => event.w !== 0).length") == 0, "events of other windows are shown")
    check(drawn["arrows"] == 4 and drawn["epochs"] == 2, f"window strong: {drawn}")
    page.run("(() => { const box = document.getElementById('ranks'); box.value = '1-2'; box.dispatchEvent(new Event('input')); })()")
    check(page.drawn()["arrows"] == 0 and page.run("page.view.columns") == [1, 2], "rank 0 is shown")
    page.run("(() => { const box = document.getElementById('ranks'); box.value = ''; box.dispatchEvent(new Event('input')); })()")
    page.click_on("input[value=operation]")
    check(page.drawn()["arrows"] == 2, "arrows of operations that are not shown")
    page.click_on("input[value=operation]")
    check(page.drawn()["arrows"] == 4, "arrows do not come back")
    page.click_on("input[value=other]")  # MPI_Win_free
    return everything


def lanes(page):
    """Epochs that share a fence follow each other in one lane; what overlaps them otherwise lies beside them."""
    epochs = "[[0, 0, 0, 10], [0, 0, 8, 30], [3, 1, 12, 14], [0, 0, 25, 40]].map(([kind, w, t0, t1]) => ({ kind, p: 0, w, t0, t1 }))"
    found = page.run(f"(() => {{ const view = {{ columns: [0], columnOf: [0], epochs: {epochs} }}; setLanes(view); return view.epochs.map((epoch) => epoch.lane); }})()")
    check(found == [0, 0, 1, 0], f"lanes of epochs between fences, and of a lock: {found}")


def hover(page):
    """Calls, arrows and epochs tell what they are; what is drawn there has their colour."""
    where = page.run("(() => { const box = page.canvas.getBoundingClientRect(); const post = page.view.events.find((event) => page.data.names[event.call] === 'post');"
                     " const arrow = page.view.arrows.find((one) => one.kind === 1), line = lineOf(page.view, arrow);"
                     " const wait = page.view.events.find((event) => page.data.names[event.call] === 'wait');"
                     " return { x: box.x, y: box.y, post: [xOf(page.view, 1), yOf(page.view, post.c0)], end: yOf(page.view, wait.c0),"
                     " arrow: [(line.from.x + line.to.x) / 2, (line.from.y + line.to.y) / 2] }; })()")
    x, y = where["x"] + where["post"][0], where["y"] + where["post"][1]
    middle = y + (where["end"] - where["post"][1]) / 2
    for at, title in (((x, y), "MPI_Win_post"), ((where["x"] + where["arrow"][0], where["y"] + where["arrow"][1]), "Synchronization: complete"),
                      ((x + 14, middle), "exposure epoch 1")):
        page.pointer(*at)
        page.drawn()
        told = page.run("document.getElementById('details').textContent")
        check(told.startswith(title), f"at {title}: {told}")
    page.pointer(2, 2)
    page.drawn()
    exposure = colour_of(page, "exposure")
    check(exposure in page.colours(x + 3, middle - 12, x + 12, middle + 12), "no exposure epoch right of the lifeline")
    check(exposure not in page.colours(x - 14, middle - 12, x - 5, middle + 12), "an exposure epoch left of the lifeline")
    check(colour_of(page, "call") in page.colours(x - 12, y - 8, x + 12, y + 8), "no call at the post")


def keyboard(page):
    page.run("document.activeElement.blur()")
    page.key("Escape")
    page.key("ArrowDown")
    check(chosen(page) == ["post", 1], f"first: {chosen(page)}")
    page.key("ArrowDown")
    check(chosen(page) == ["wait", 1], f"next of rank 1: {chosen(page)}")
    page.key("ArrowUp")
    page.key("Enter")
    check(chosen(page) == ["put", 0], f"along the arrow of the post: {chosen(page)}")
    page.key("ArrowUp")
    check(chosen(page) == ["start", 0], f"before the put: {chosen(page)}")
    page.key("ArrowRight")
    check(chosen(page)[1] == 1, f"beside rank 0: {chosen(page)}")
    page.click_on("input[value=other]")
    page.run("document.activeElement.blur(), page.view.filter.window = -1, page.filter()")
    page.key("w")
    check(page.run("page.view.chosen.waited === Math.max(...page.view.events.map((event) => event.waited))"), "w does not choose the longest wait")


def zoom(page, everything):
    """All in order: what is too small is summed up. Closer: what is left is drawn."""
    page.run("document.activeElement.blur()")
    drawn = page.key("0")
    check(drawn["summed"] > everything and drawn["bars"] + drawn["arrows"] < 4000, f"all: {drawn}")
    scale = page.run("page.view.scale")
    page.key("+")
    page.key("+")
    check(page.run("page.view.scale") > 1.9 * scale, "+ does not zoom")
    page.pointer(400, 400, "mouseWheel", deltaX=0, deltaY=-120, modifiers=2)
    page.drawn()
    check(page.run("page.view.scale") > 2.5 * scale, "the wheel does not zoom")
    top = page.run("page.view.top")
    page.key("PageDown")
    check(page.run("page.view.top") > top, "PageDown does not move")
    page.key("t")
    check(page.run("page.view.isOrder === false && document.getElementById('time').getAttribute('aria-pressed')") == "true", "t does not change to time")
    check(page.run("page.view.last") > 1e6, "the time is not in nanoseconds")
    page.click_on("#order")
    check(page.run("page.view.isOrder"), "the button does not change to order")


def light(page):
    for theme, dark in (("dark", True), ("light", False)):
        page.run(f"document.documentElement.dataset.theme === '{theme}' || page.setTheme()")
        page.drawn()
        corner = page.run("(() => { const box = page.canvas.getBoundingClientRect(); return [box.x + 20, box.y + 10]; })()")
        back = min(page.colours(corner[0], corner[1], corner[0] + 2, corner[1] + 2))
        check(back == colour_of(page, "back") and (sum(back) < 200) == dark, f"{theme}: the background is {back}")


def prints(page):
    """On paper it is light and sharp; on the screen it is then as before."""
    page.run("document.documentElement.dataset.theme === 'dark' || page.setTheme()")
    page.run("window.addEventListener('beforeprint', () => { window.printed = [page.view.isPrint, document.documentElement.dataset.theme]; })")
    paper = base64.b64decode(page.call("Page.printToPDF", printBackground=True)["data"])
    check(paper.startswith(b"%PDF") and b"/Image" in paper, f"{len(paper)} bytes of paper: {paper[:80]}")
    check(page.run("window.printed") == [True, "light"], f"printed {page.run('window.printed')}")
    check(page.run("[page.view.isPrint, document.documentElement.dataset.theme]") == [False, "dark"], "printing leaves its marks")


def look_at_page(folder):
    page = browser.Browser(browser.find(), folder)
    try:
        page.open(write_page(folder))
        page.drawn()
        everything = filters(page)
        lanes(page)
        hover(page)
        keyboard(page)
        zoom(page, everything)
        light(page)
        prints(page)
        check(not page.complaints, f"on the console: {page.complaints}")
        check(len(page.requests) == 1, f"requests: {page.requests}")
    finally:
        page.close()


def main():
    with scratch() as folder:
        launch(launcher, host, 3, library, [program, str(OPERATIONS)], folder, ["PROA_CHECK=0"])
        look_at_figures(folder)
        look_at_mistakes(folder)
        if not browser.find():
            write_page(folder)
            print("no chromium: the page was not opened (Debian: chromium)")
            sys.exit(77)
        os.makedirs(folder + "/browser")
        look_at_page(folder)


main()

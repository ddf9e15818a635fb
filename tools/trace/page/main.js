/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as a whole: what is around the picture, and when it is drawn. */

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

const LEGEND = [
  ['<rect x="2" width="14" height="14" fill="var(--access)"/><path d="M17 0V14" stroke="var(--life)" stroke-width="1.5"/>', "access epoch (start to complete), left"],
  ['<path d="M17 0V14" stroke="var(--life)" stroke-width="1.5"/><rect x="18" width="14" height="14" fill="var(--exposure)"/>', "exposure epoch (post to wait), right"],
  ['<rect x="2" width="30" height="14" fill="var(--fence)"/><path d="M17 0V14" stroke="var(--life)" stroke-width="1.5"/>', "epoch between fences, both sides"],
  ['<rect x="2" width="14" height="14" fill="var(--lock)"/><rect x="18" width="14" height="14" fill="var(--lockall)"/>', "lock, lock_all"],
  ['<rect x="2" width="14" height="14" rx="4" fill="var(--call)"/><rect x="18" width="14" height="14" rx="4" fill="var(--put)"/>', "call, operation"],
  ['<rect x="10" width="13" height="14" fill="var(--wait)" stroke="var(--hatch)"/><path d="M11 8l6-8M11 14l11-14M17 14l6-8" stroke="var(--hatch)"/>', "waits"],
  ['<path d="M1 7H26" stroke="var(--sync)" stroke-width="1.5" stroke-dasharray="5 3"/><path d="M25 3l8 4-8 4z" fill="var(--sync)"/>', "synchronization"],
  ['<path d="M1 7H26" stroke="var(--put)" stroke-width="2"/><path d="M25 3l8 4-8 4z" fill="var(--put)"/>', "data"],
  ['<rect x="4" width="26" height="14" rx="4" fill="var(--finding)"/>', "a call that failed, a conflict"],
];

const page = { canvas: byId("picture"), data: readData(byId("data").textContent), drag: null, pending: 0 };
page.view = newView(page.data);

page.paint = () => {
  if (!page.pending)
    page.pending = requestAnimationFrame(() => { page.pending = 0; draw(page.view, page.canvas); });
};

page.show = () => {
  const item = page.view.hover || page.view.chosen, details = byId("details");
  if (!item) {
    details.replaceChildren(element("p", { class: "hint" }, "Point at a call, an arrow or an epoch, or choose one by the arrow keys."));
    return;
  }
  const words = wordsOf(page.data, item), list = element("dl", {});
  for (const [term, text] of words.rows)
    list.append(element("dt", {}, term), element("dd", {}, text));
  details.replaceChildren(element("strong", {}, words.title), list);
};

page.filter = () => {
  const { view } = page;
  applyFilter(view);
  view.shownArrows = new Set(view.arrows);
  view.strip = null;
  view.hover = null;
  if (view.chosen && view.chosen.is === "event" && !view.events.includes(view.chosen))
    view.chosen = null;
  fit(view, false);
  page.show();
  page.paint();
};

/* What is in the middle stays there. */
page.setMode = (isOrder) => {
  const { view } = page;
  const middle = view.visible && view.visible[view.visible.length >> 1];
  view.isOrder = isOrder;
  setPlaces(view);
  view.strip = null;
  byId("order").setAttribute("aria-pressed", String(isOrder));
  byId("time").setAttribute("aria-pressed", String(!isOrder));
  fit(view, false);
  const kept = view.chosen && view.chosen.is === "event" ? view.chosen : isOrder ? middle : null;
  if (kept)
    reveal(view, kept.p, kept.c0, kept.c1);
  page.paint();
};

page.setTheme = (theme) => {
  const root = document.documentElement, next = theme || (root.dataset.theme === "dark" ? "light" : "dark");
  root.dataset.theme = next;
  byId("theme").textContent = next === "dark" ? "Light" : "Dark";
  page.paint();
};

page.resize = () => {
  const { view } = page, box = page.canvas.parentElement.getBoundingClientRect(), isFirst = !view.isSized;
  [view.width, view.height] = [Math.max(200, box.width), Math.max(150, box.height)];
  view.isSized = true;
  view.strip = null;
  if (isFirst)
    fit(view, false);
  clamp(view);
  page.paint();
};

function fillControls() {
  const { view, data } = page;
  const options = [element("option", { value: -1 }, "all")];
  data.windows.forEach((window, w) => options.push(element("option", { value: w }, windowName(data, w))));
  byId("window").append(...options);
  byId("window").addEventListener("change", (event) => { view.filter.window = +event.target.value; page.filter(); });
  byId("ranks").addEventListener("input", (event) => { view.filter.ranks = event.target.value; page.filter(); });
  const there = new Set(data.events.map((event) => kindOfEvent(data, event)));
  for (const [kind, name] of KINDS.filter((one) => there.has(one[0]))) {
    const box = element("input", { type: "checkbox", checked: "", value: kind });
    box.addEventListener("change", () => { view.filter.kinds[box.checked ? "add" : "delete"](kind); page.filter(); });
    byId("kinds").append(element("label", {}, box, ` ${name}`));
  }
}

function listenToControls() {
  const zoomed = (factor) => () => { zoom(page.view, factor, page.view.height / 2); page.paint(); };
  byId("order").addEventListener("click", () => page.setMode(true));
  byId("time").addEventListener("click", () => page.setMode(false));
  byId("in").addEventListener("click", zoomed(1.4));
  byId("out").addEventListener("click", zoomed(1 / 1.4));
  byId("fit").addEventListener("click", () => { fit(page.view, true); page.paint(); });
  byId("theme").addEventListener("click", () => page.setTheme());
}

/* On paper: light, and at twice the resolution of a screen. */
function listenToPrinter() {
  let theme;
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    page.setTheme("light");
    page.view.isPrint = true;
    draw(page.view, page.canvas);
  });
  window.addEventListener("afterprint", () => { page.view.isPrint = false; page.setTheme(theme); });
}

function tellSum() {
  const { data } = page, plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  byId("sum").textContent = [plural(data.processes.length, "rank"), plural(data.windows.length, "window"), plural(data.events.length, "event"), timeText(data.end_ns)].join(", ");
  const notes = [];
  const dropped = data.processes.reduce((sum, process) => sum + process.dropped, 0);
  if (data.left_out)
    notes.push(`${data.left_out} later events are left out`);
  if (dropped)
    notes.push(`${dropped} records were dropped`);
  const killed = data.processes.filter((process) => process.killed).map((process) => process.rank);
  if (killed.length)
    notes.push(`did not end in order: ${plural(killed.length, "rank")} (${killed.slice(0, 5).join(", ")})`);
  byId("note").textContent = notes.join("; ");
}

function begin() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  page.setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", (event) => page.setTheme(event.matches ? "dark" : "light"));
  for (const [form, text] of LEGEND) {
    const picture = element("span", {});
    picture.innerHTML = `<svg viewBox="0 0 34 14" fill="none" aria-hidden="true">${form}</svg>`;
    byId("legend").append(picture, element("span", {}, text));
  }
  fillControls();
  listenToControls();
  listenToPrinter();
  tellSum();
  page.filter();
  new ResizeObserver(page.resize).observe(page.canvas.parentElement);
  listen(page);
}

begin();

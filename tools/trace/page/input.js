/* SPDX-License-Identifier: BSD-3-Clause */
/* The pointer and the keyboard. */

function choose(page, item) {
  page.view.chosen = item;
  if (item && item.is === "event" && page.view.columnOf[item.p] >= 0)
    reveal(page.view, item.p, item.c0, item.c1);
  page.show();
}

/* The next event of that process in that direction; of another process: the nearest in time. */
function step(page, by) {
  const { view } = page, { events, chosen } = view;
  const now = chosen && chosen.is === "event" ? events.indexOf(chosen) : -1;
  if (now < 0)
    return choose(page, view.visible[0] || events[0] || null);
  for (let i = now + by; i >= 0 && i < events.length; i += by)
    if (events[i].p === chosen.p)
      return choose(page, events[i]);
  return undefined;
}

function stepAside(page, by) {
  const { view } = page, { chosen } = view;
  if (!chosen || chosen.is !== "event")
    return step(page, 1);
  for (let column = view.columnOf[chosen.p] + by; column >= 0 && column < view.columns.length; column += by) {
    const p = view.columns[column];
    let best = null;
    for (const event of view.events)
      if (event.p === p && (!best || Math.abs(event.t0 - chosen.t0) < Math.abs(best.t0 - chosen.t0)))
        best = event;
    if (best)
      return choose(page, best);
  }
  return undefined;
}

/* Along the first arrow out of the event, else back along the one into it; of an arrow: to its end. */
function follow(page) {
  const { view } = page, { chosen, data } = view;
  if (!chosen)
    return;
  const arrows = chosen.is === "arrow" ? [chosen] : chosen.is === "event" ? [...chosen.outOf.filter((arrow) => arrow.e1), ...chosen.into] : [];
  const arrow = arrows.find((one) => view.shownArrows.has(one));
  const id = arrow && (arrow.e0 === chosen.id && chosen.is === "event" ? arrow.e1 : arrow.e1 && chosen.is === "arrow" ? arrow.e1 : arrow.e0);
  if (id)
    choose(page, data.events[id - 1]);
}

/* The items of a list one after the other. */
function next(page, list, name) {
  if (!list.length)
    return;
  page[name] = ((page[name] ?? -1) + 1) % list.length;
  choose(page, list[page[name]]);
}

function pan(view, x, y) {
  view.left += x;
  view.top += y / view.scale;
  clamp(view);
}

function widen(view, factor) {
  view.column = Math.max(14, Math.min(400, columnWidth(view) * factor));
  clamp(view);
}

const KEYS = {
  ArrowDown: (page) => step(page, 1), ArrowUp: (page) => step(page, -1),
  ArrowRight: (page) => stepAside(page, 1), ArrowLeft: (page) => stepAside(page, -1),
  Enter: (page) => follow(page), Escape: (page) => choose(page, null),
  "+": (page) => zoom(page.view, 1.4, page.view.height / 2), "=": (page) => zoom(page.view, 1.4, page.view.height / 2),
  "-": (page) => zoom(page.view, 1 / 1.4, page.view.height / 2),
  PageDown: (page) => pan(page.view, 0, 0.8 * page.view.height), PageUp: (page) => pan(page.view, 0, -0.8 * page.view.height),
  Home: (page) => pan(page.view, 0, -1e300), End: (page) => pan(page.view, 0, 1e300),
  "[": (page) => widen(page.view, 1 / 1.25), "]": (page) => widen(page.view, 1.25),
  0: (page) => { page.view.column = 0; fit(page.view, true); }, t: (page) => page.setMode(!page.view.isOrder), l: (page) => page.setTheme(),
  w: (page) => next(page, page.view.events.filter((event) => event.waited).sort((one, other) => other.waited - one.waited).slice(0, 1000), "wait"),
  f: (page) => next(page, page.view.events.filter((event) => event.kind === EVENT.finding), "finding"),
};

function onKey(page, event) {
  const key = KEYS[event.key];
  if (!key || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|BUTTON)$/.test(event.target.tagName))
    return;
  event.preventDefault();
  key(page);
  page.paint();
}

function onWheel(page, event) {
  const { view } = page, by = event.deltaMode ? 30 * event.deltaY : event.deltaY;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey)
    zoom(view, Math.exp(-by / 300), event.offsetY);
  else if (event.shiftKey)
    pan(view, by, 0);
  else
    pan(view, event.deltaX, by);
  page.paint();
}

function jump(view, y) {
  const at = view.first + ((y - HEAD) / (view.height - HEAD)) * (view.last - view.first);
  view.top = at - (0.5 * (view.height - HEAD)) / view.scale;
  clamp(view);
}

function onMove(page, event) {
  const { view, drag } = page;
  if (drag && drag.isStrip) {
    jump(view, event.offsetY);
  } else if (drag) {
    pan(view, drag.x - event.offsetX, drag.y - event.offsetY);
    drag.moved += Math.abs(drag.x - event.offsetX) + Math.abs(drag.y - event.offsetY);
    [drag.x, drag.y] = [event.offsetX, event.offsetY];
  } else {
    const item = itemAt(view, event.offsetX, event.offsetY);
    if (item === view.hover)
      return;
    view.hover = item;
    page.show();
  }
  page.paint();
}

function listen(page) {
  const { canvas, view } = page;
  document.addEventListener("keydown", (event) => onKey(page, event));
  canvas.addEventListener("wheel", (event) => onWheel(page, event), { passive: false });
  canvas.addEventListener("pointermove", (event) => onMove(page, event));
  canvas.addEventListener("pointerleave", () => { view.hover = null; page.show(); page.paint(); });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    page.drag = { x: event.offsetX, y: event.offsetY, moved: 0, isStrip: event.offsetX < STRIP };
    onMove(page, event);
  });
  canvas.addEventListener("pointerup", (event) => {
    const { drag } = page;
    page.drag = null;
    if (drag && !drag.isStrip && drag.moved < 4)
      choose(page, itemAt(view, event.offsetX, event.offsetY));
    page.paint();
  });
  canvas.addEventListener("dblclick", (event) => { zoom(view, 2, event.offsetY); page.paint(); });
}

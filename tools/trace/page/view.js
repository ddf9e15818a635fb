/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is shown, and where: the filters, the columns, and the coordinate that runs downward. In time
 * it is nanoseconds. In order it counts moments: a call's begin takes a row, its end a part of one,
 * so that names do not collide however close the calls are in time.
 */

const HEAD = 40, GUTTER = 92, STRIP = 16, ROW = 27, END_PART = 0.42, LANE = 22, LANES = 3;

const KINDS = [
  ["fence", "fence"], ["access", "start, post"], ["lock", "lock"], ["notify", "notify"], ["operation", "operations"],
  ["message", "network"], ["moved", "moved pages"], ["finding", "findings"], ["other", "other calls"],
];

function kindOfEvent(data, event) {
  const name = data.names[event.call] || "";
  if (event.kind === EVENT.operation)
    return "operation";
  if (event.kind === EVENT.applied || event.kind === EVENT.message)
    return "message";
  if (event.kind === EVENT.moved)
    return "moved";
  if (event.kind === EVENT.finding)
    return "finding";
  if (name === "fence")
    return "fence";
  if (/^(start|post|complete|wait|test)$/.test(name))
    return "access";
  if (/lock|flush|sync/.test(name))
    return "lock";
  return /notify/.test(name) ? "notify" : "other";
}

const KIND_OF_EPOCH = ["fence", "access", "access", "lock", "lock"];
const KIND_OF_ARROW = ["access", "access", "lock", "fence", "notify", "operation"];

function newView(data) {
  return { data, filter: { window: -1, ranks: "", kinds: new Set(KINDS.map((kind) => kind[0])) }, isOrder: true,
    top: 0, scale: 1, left: 0, column: 0, width: 800, height: 600, columns: [], columnOf: [], events: [], epochs: [],
    arrows: [], moments: null, places: null, hover: null, chosen: null, drawn: {} };
}

/* "0-3,8": a test for ranks. Anything else: all. */
function rankFilter(text) {
  const parts = text.split(",").map((part) => /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part)).filter(Boolean);
  if (!parts.length)
    return () => true;
  return (rank) => parts.some((part) => rank >= +part[1] && rank <= +(part[2] ?? part[1]));
}

function setMoments(view) {
  const count = view.events.length, begins = new Float64Array(count), ends = new Float64Array(count);
  view.events.forEach((event, i) => { begins[i] = event.t0; ends[i] = event.t1; });
  begins.sort();
  ends.sort();
  const moments = new Float64Array(2 * count + 2), places = new Float64Array(2 * count + 2);
  let b = 0, e = 0, n = 0, at = 0;
  while (b < count || e < count) {
    const isBegin = b < count && (e >= count || begins[b] <= ends[e]);
    const t = isBegin ? begins[b++] : ends[e++];
    if (n && moments[n - 1] === t && !isBegin)
      continue;
    at += !n ? 0.5 : isBegin ? 1 : END_PART;
    if (n && moments[n - 1] === t)
      n--;
    moments[n] = t;
    places[n++] = at;
  }
  view.moments = moments.subarray(0, n);
  view.places = places.subarray(0, n);
}

/* Where a time is in the order: between the moments around it. */
function placeOf(view, t) {
  const moments = view.moments, n = moments.length;
  let low = 0, high = n - 1;
  if (!n || t <= moments[0])
    return n ? view.places[0] : 0;
  if (t >= moments[high])
    return view.places[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (moments[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return view.places[low] + ((t - moments[low]) / (moments[high] - moments[low])) * (view.places[high] - view.places[low]);
}

function place(view, t) {
  return view.isOrder ? placeOf(view, t) : t;
}

/* The coordinates of all that is shown, once for each choice of filters and mode. */
function setPlaces(view) {
  for (const list of [view.events, view.epochs, view.arrows])
    for (const item of list) {
      item.c0 = place(view, item.t0);
      item.c1 = place(view, item.t1);
    }
  for (const event of view.events)
    for (const wait of event.waits) {
      wait.c0 = place(view, wait.t0);
      wait.c1 = place(view, wait.t1);
    }
  const n = view.moments.length;
  view.first = view.isOrder ? 0 : n ? view.moments[0] : 0;
  view.last = view.isOrder ? (n ? view.places[n - 1] + 1 : 1) : n ? view.moments[n - 1] : 1;
  if (view.last <= view.first)
    view.last = view.first + 1;
}

/* Epochs of a process that overlap on a side of its lifeline lie beside each other; not those that
 * share a fence, of which one follows the other. */
function setLanes(view) {
  const ends = view.columns.map(() => [[], []]), fenced = new Map();
  for (const epoch of view.epochs) {
    const sides = ends[view.columnOf[epoch.p]], lanes = sides[epoch.kind === EPOCH.exposure ? 1 : 0];
    const isFence = epoch.kind === EPOCH.fence, window = `${epoch.p} ${epoch.w}`, before = isFence && fenced.get(window);
    let lane = before && before.t1 > epoch.t0 ? before.lane : lanes.findIndex((end) => end <= epoch.t0);
    if (lane < 0)
      lane = lanes.length < LANES ? lanes.length : LANES - 1;
    lanes[lane] = Math.max(lanes[lane] || 0, epoch.t1);
    epoch.lane = lane;
    if (isFence)
      fenced.set(window, epoch);
  }
}

function applyFilter(view) {
  const { data, filter } = view, isRank = rankFilter(filter.ranks);
  view.columns = [];
  view.columnOf = data.processes.map((process, p) => (isRank(process.rank) ? view.columns.push(p) - 1 : -1));
  const isWindow = (w) => filter.window < 0 || w === filter.window;
  const isShown = (p) => p >= 0 && view.columnOf[p] >= 0;
  view.events = data.byBegin.filter((event) => isShown(event.p) && isWindow(event.w) && filter.kinds.has(kindOfEvent(data, event)));
  view.epochs = data.epochs.filter((epoch) => isShown(epoch.p) && isWindow(epoch.w) && filter.kinds.has(KIND_OF_EPOCH[epoch.kind]));
  view.arrows = data.arrows.filter((arrow) => arrow.p0 !== arrow.p1 && isShown(arrow.p0) && isShown(arrow.p1) && isWindow(arrow.w) &&
    filter.kinds.has(KIND_OF_ARROW[arrow.kind]));
  setMoments(view);
  setPlaces(view);
  setLanes(view);
}

/* ---- where things are on the screen ---- */

function yOf(view, c) {
  return HEAD + (c - view.top) * view.scale;
}

function columnWidth(view) {
  const fitting = (view.width - GUTTER - STRIP) / Math.max(1, view.columns.length);
  return view.column || Math.max(22, Math.min(260, fitting));
}

function xOf(view, p) {
  return STRIP + GUTTER + (view.columnOf[p] + 0.5) * columnWidth(view) - view.left;
}

function bottomOf(view) {
  return view.top + (view.height - HEAD) / view.scale;
}

function clamp(view) {
  const span = (view.height - HEAD) / view.scale, all = columnWidth(view) * view.columns.length;
  view.top = Math.max(view.first - 0.1 * span, Math.min(view.top, view.last - 0.6 * span));
  view.left = Math.max(0, Math.min(view.left, all - (view.width - GUTTER - STRIP)));
}

function zoom(view, factor, y) {
  const at = view.top + (y - HEAD) / view.scale, least = (0.5 * (view.height - HEAD)) / (view.last - view.first);
  const most = view.isOrder ? 4 * ROW : 40;
  view.scale = Math.max(Math.min(least, most), Math.min(most, view.scale * factor));
  view.top = at - (y - HEAD) / view.scale;
  clamp(view);
}

/* All of it, or in order its beginning in a size that can be read. */
function fit(view, isAll) {
  const span = view.last - view.first, scale = (view.height - HEAD - 12) / span;
  view.scale = view.isOrder ? (isAll ? Math.min(1.6 * ROW, scale) : Math.max(ROW, Math.min(1.6 * ROW, scale))) : scale;
  view.top = view.first - 4 / view.scale;
  view.left = 0;
}

function reveal(view, p, c0, c1) {
  const y = yOf(view, c0), x = xOf(view, p), half = columnWidth(view) / 2, middle = 0.5 * (view.height - HEAD);
  if (y < HEAD + 20 || y > view.height - 40)
    view.top = c0 - (c1 > c0 ? Math.min(middle, 60) : middle) / view.scale;
  if (x - half < STRIP + GUTTER)
    view.left -= STRIP + GUTTER - x + half;
  if (x + half > view.width)
    view.left += x + half - view.width;
  clamp(view);
}

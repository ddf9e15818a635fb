/* SPDX-License-Identifier: BSD-3-Clause */
/* The data: rows of numbers as tools/proa/trace_page.c writes them, made into events, epochs and arrows. */

const EVENT = { call: 0, operation: 1, applied: 2, message: 3, moved: 4, finding: 5 };
const EPOCH = { fence: 0, access: 1, exposure: 2, lock: 3, lockAll: 4 };
const DATA = 5; /* of arrows */
/* Their names are drawn first where there is not room for all. */
const SYNC_NAMES = /^(start|post|complete|wait|fence|lock|unlock|lock_all|unlock_all)$/;
const EXCLUSIVE = 32, FAILED = 64;

function eventOf(row, id) {
  const waits = [];
  for (let i = 18; i < row.length; i += 3)
    waits.push({ t0: row[5] + row[i], t1: row[5] + row[i] + row[i + 1], rank: row[i + 2] });
  return { id, is: "event", kind: row[1], p: row[2], thread: row[3], w: row[4], t0: row[5], t1: row[5] + row[6],
    call: row[7], rank: row[8], bytes: row[9], displacement: row[10], way: row[11], mode: row[12], place: row[13],
    other: row[14], epoch: row[15], value: row[16], open: row[17], waits,
    waited: waits.reduce((sum, wait) => sum + wait.t1 - wait.t0, 0), into: [], outOf: [] };
}

function epochOf(row) {
  return { is: "epoch", id: row[1], kind: row[2], p: row[3], w: row[4], rank: row[5], mode: row[6], t0: row[7],
    t1: row[7] + row[8], operations: row[9], bytes: row[10], waited: row[11], place: row[12], endPlace: row[13],
    open: row[14], number: 0 };
}

function arrowOf(row) {
  return { is: "arrow", kind: row[1], w: row[2], target: row[3], p0: row[4], t0: row[5], e0: row[6], p1: row[7],
    t1: row[8], e1: row[9], waited: row[10], back: false, both: false };
}

/* The name in figures: MPI_Win_start is "start". */
function shortName(call) {
  return call.replace(/^(MPI|PROA)_(Win_)?/, "").toLowerCase();
}

/* Whether data go to the target (1), from it (2), or both ways (3). */
function directionOf(name) {
  if (/^r?get$/.test(name) || /^get_notify/.test(name))
    return 2;
  return /fetch|get_acc|compare/.test(name) ? 3 : 1;
}

/* An operation whose moment at the target was not recorded apart was done within its call. */
function dataArrow(data, event) {
  const window = data.windows[event.w];
  const target = window && event.rank >= 0 ? window.processes[event.rank] : -1;
  const direction = directionOf(data.names[event.call]);
  const last = event.waits.length ? event.waits[event.waits.length - 1].t1 : event.t0;

  if (target === undefined || target < 0)
    return null;
  return { is: "arrow", kind: DATA, w: event.w, target: event.rank, p0: event.p, t0: Math.min(last, event.t1), e0: event.id,
    p1: target, t1: event.t1, e1: 0, waited: 0, back: direction === 2, both: direction === 3 };
}

function link(data) {
  const has = new Uint8Array(data.events.length + 1);
  for (const arrow of data.arrows) {
    const from = data.events[arrow.e0 - 1], to = data.events[arrow.e1 - 1];
    if (arrow.kind === DATA && from) {
      const direction = directionOf(data.names[from.call]);
      has[arrow.e0] = 1;
      arrow.back = direction === 2;
      arrow.both = direction === 3;
    }
    if (from)
      from.outOf.push(arrow);
    if (to)
      to.into.push(arrow);
  }
  for (const event of data.events) {
    event.isSync = event.kind === EVENT.finding || SYNC_NAMES.test(data.names[event.call]);
    const arrow = event.kind === EVENT.operation && !has[event.id] ? dataArrow(data, event) : null;
    if (arrow) {
      data.arrows.push(arrow);
      event.outOf.push(arrow);
    }
  }
}

/* The k-th of its process and window, exposures by themselves: the numbers that `--svg` takes. */
function number(data) {
  const counts = new Map();
  data.epochOfId = new Map();
  for (const epoch of data.epochs) {
    const key = (epoch.p * data.windows.length + epoch.w) * 2 + (epoch.kind === EPOCH.exposure ? 1 : 0);
    epoch.number = (counts.get(key) || 0) + 1;
    counts.set(key, epoch.number);
    data.epochOfId.set(epoch.id, epoch);
  }
}

function readData(text) {
  const data = JSON.parse(text);
  data.events = [];
  data.epochs = [];
  data.arrows = [];
  data.names = data.calls.map(shortName);
  for (const row of data.rows) {
    if (row[0] === 0)
      data.events.push(eventOf(row, data.events.length + 1));
    else if (row[0] === 1)
      data.epochs.push(epochOf(row));
    else
      data.arrows.push(arrowOf(row));
  }
  data.rows = null;
  link(data);
  number(data);
  data.byBegin = data.events.slice().sort((one, other) => one.t0 - other.t0);
  data.epochs.sort((one, other) => one.t0 - other.t0);
  data.arrows.sort((one, other) => one.t0 - other.t0);
  return data;
}

function rankName(data, p) {
  const rank = p >= 0 ? data.processes[p].rank : -1;
  return rank >= 0 ? `rank ${rank}` : p >= 0 ? `process ${p}` : "several ranks";
}

function windowName(data, w) {
  if (w < 0)
    return "";
  const name = data.windows[w].name;
  return name ? `${w + 1} "${name}"` : `${w + 1}`;
}

function timeText(ns) {
  const size = Math.abs(ns);
  if (size < 1e4)
    return `${Math.round(ns)} ns`;
  if (size < 1e7)
    return `${+(ns / 1e3).toPrecision(size < 1e6 ? 4 : 5)} \u00b5s`;
  if (size < 1e10)
    return `${+(ns / 1e6).toPrecision(6)} ms`;
  return `${+(ns / 1e9).toPrecision(7)} s`;
}

/* Beside the picture: all in one unit, as exact as the size of the trace allows. */
function scaleText(ns, all, step) {
  const [unit, name, most] = all < 1e5 ? [1, "ns", 0] : all < 1e8 ? [1e3, "\u00b5s", 2] : [1e6, "ms", 4];
  const digits = step ? Math.max(0, Math.ceil(-Math.log10(step / unit))) : most;
  return `${(ns / unit).toFixed(Math.min(6, digits))} ${name}`;
}

function bytesText(bytes) {
  if (bytes < 10000)
    return `${bytes} B`;
  return bytes < 1e7 ? `${+(bytes / 1024).toPrecision(4)} KiB` : `${+(bytes / 1048576).toPrecision(4)} MiB`;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws the view on a canvas. What is smaller than a pixel is drawn once for all that share it, and
 * arrows that coincide are drawn once with their number: so a frame costs what can be seen.
 */

const PILL = 18, BAR = 9;

function colours() {
  const style = getComputedStyle(document.documentElement), found = {};
  for (const name of ["back", "text", "faint", "life", "grid", "call", "on", "put", "sync", "access", "fence", "lock", "lockall",
    "exposure", "hatch", "wait", "finding", "mark", "line", "moved"])
    found[name] = style.getPropertyValue(`--${name}`).trim();
  return found;
}

function hatching(context, colour, ratio) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6 * ratio;
  const pen = tile.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = colour.wait;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = colour.hatch;
  pen.lineWidth = 1.3;
  for (const shift of [-6, 0, 6]) {
    pen.beginPath();
    pen.moveTo(shift - 1, 7);
    pen.lineTo(shift + 7, -1);
    pen.stroke();
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

function epochColour(colour, kind) {
  return [colour.fence, colour.access, colour.exposure, colour.lock, colour.lockall][kind];
}

function eventColour(colour, event) {
  if (event.kind === EVENT.finding || event.mode & FAILED)
    return colour.finding;
  if (event.kind === EVENT.operation || event.kind === EVENT.applied || event.kind === EVENT.message)
    return colour.put;
  return event.kind === EVENT.moved ? colour.moved : colour.call;
}

/* ---- names of calls ---- */

function pillText(view, event) {
  const name = view.data.names[event.call] || "";
  if (event.kind === EVENT.finding)
    return "! conflict";
  if (event.kind === EVENT.applied)
    return "applied";
  if (event.kind === EVENT.message)
    return event.way ? "received" : "sent";
  if (event.kind === EVENT.moved)
    return event.way ? "pages back" : "pages moved";
  return name;
}

/* Room for names: calls of synchronization first, then findings and operations, as far as they do not collide. */
function layPills(view, context) {
  const cells = Math.ceil(view.height / 3) + 2, taken = view.columns.map(() => new Uint8Array(cells));
  const pills = new Map(), widest = columnWidth(view) - 14;
  if (widest < 40)
    return pills;
  context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  for (const wanted of [true, false])
    for (const event of view.visible) {
      const y = yOf(view, event.c0), cell = Math.max(0, Math.floor((y - PILL / 2) / 3)), end = cell + PILL / 3 + 1;
      const row = taken[view.columnOf[event.p]];
      if (event.isSync !== wanted || y < HEAD - 12 || y > view.height + 12 || row[cell] || row[end - 1] || row[cell + 3])
        continue;
      const text = pillText(view, event), width = context.measureText(text).width + 14;
      if (width > widest)
        continue;
      row.fill(1, cell, end);
      pills.set(event.id, { event, text, x: xOf(view, event.p), y, half: width / 2 });
    }
  return pills;
}

/* ---- parts ---- */

function drawGrid(view, context, colour) {
  context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  const line = (y, text) => {
    context.fillStyle = colour.grid;
    context.fillRect(STRIP + GUTTER, Math.round(y), view.width, 1);
    context.fillStyle = colour.faint;
    context.fillText(text, STRIP + GUTTER - 10, y);
  };
  if (!view.isOrder) {
    const step = niceStep(64 / view.scale);
    for (let t = Math.ceil(view.top / step) * step; t < bottomOf(view); t += step)
      line(yOf(view, t), scaleText(t, view.data.end_ns, step));
    return;
  }
  let last = -100;
  for (const event of view.visible) {
    const y = yOf(view, event.c0);
    if (y < last + 25 || y < HEAD - 8)
      continue;
    line(y, scaleText(event.t0, view.data.end_ns));
    last = y;
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least);
}

function drawEpochs(view, context, colour) {
  const width = columnWidth(view), lane = Math.min(LANE, Math.max(2, (width / 2 - 4) / LANES)), last = new Map();
  let drawn = 0;
  for (const epoch of view.epochs) {
    const y0 = Math.max(HEAD - 2, yOf(view, epoch.c0)), y1 = Math.min(view.height + 2, yOf(view, epoch.c1));
    if (y1 < HEAD || y0 > view.height)
      continue;
    const isRight = epoch.kind === EPOCH.exposure, key = (view.columnOf[epoch.p] * 2 + isRight) * LANES + epoch.lane;
    if (y1 <= (last.get(key) ?? -1))
      continue;
    last.set(key, Math.ceil(y1));
    const x = xOf(view, epoch.p), side = lane * (epoch.lane + 1), height = Math.max(1, y1 - y0);
    context.fillStyle = epochColour(colour, epoch.kind);
    context.fillRect(isRight ? x + side - lane + 1 : x - side - 1, y0, lane, height);
    /* A fence exposes too. */
    if (epoch.kind === EPOCH.fence)
      context.fillRect(x + side - lane + 1, y0, lane, height);
    if (epoch === view.chosen || epoch === view.hover) {
      context.strokeStyle = colour.mark;
      context.lineWidth = 2;
      context.strokeRect(isRight ? x + side - lane + 1 : x - side - 1, y0, lane, height);
    }
    drawn++;
  }
  return drawn;
}

function drawLives(view, context, colour) {
  context.fillStyle = colour.life;
  for (const p of view.columns)
    context.fillRect(Math.round(xOf(view, p)) - 0.75, HEAD - 6, 1.5, view.height);
}

/* Bars of calls, and hatched on them the waits. Returns how many were drawn, and how many summed up. */
function drawBars(view, context, colour, hatch) {
  const bar = Math.min(BAR, columnWidth(view) / 3), lastBar = new Float64Array(view.columns.length).fill(-1);
  const lastWait = new Float64Array(view.columns.length).fill(-1);
  let drawn = 0, summed = 0, waits = 0;
  for (const event of view.visible) {
    const column = view.columnOf[event.p], y0 = yOf(view, event.c0), y1 = yOf(view, event.c1), x = xOf(view, event.p);
    const isFinding = event.kind === EVENT.finding;
    if (y1 < lastBar[column] && !isFinding && !event.waited) {
      summed++;
      continue;
    }
    if (y1 >= lastBar[column] || isFinding) {
      context.fillStyle = eventColour(colour, event);
      context.fillRect(x - bar / 2, Math.max(y0, HEAD - 4), bar, Math.max(1.5, Math.min(y1, view.height + 4) - Math.max(y0, HEAD - 4)));
      lastBar[column] = Math.max(lastBar[column], Math.ceil(Math.max(y1, y0 + 1)));
      drawn++;
    } else {
      summed++;
    }
    for (const wait of event.waits) {
      const w0 = Math.max(HEAD - 4, yOf(view, wait.c0)), w1 = Math.min(view.height + 4, yOf(view, wait.c1));
      if (w1 < HEAD || w0 > view.height || w1 - w0 < 0.7 || w1 < lastWait[column])
        continue;
      context.fillStyle = hatch;
      context.fillRect(x - bar / 2 - 1.5, w0, bar + 3, w1 - w0);
      context.strokeStyle = colour.hatch;
      context.lineWidth = 0.8;
      context.strokeRect(x - bar / 2 - 1.5, w0, bar + 3, w1 - w0);
      lastWait[column] = w1;
      waits++;
    }
  }
  return { drawn, summed, waits };
}

/* The end of an arrow at an event: the edge of its name if that is near, else the lifeline. */
function endAt(view, id, p, c, toward) {
  const pill = view.pills.get(id), x = xOf(view, p), y = yOf(view, c), side = Math.sign(toward - x) || 1;
  if (pill && Math.abs(pill.y - y) < PILL / 2 + 3)
    return { x: x + side * (pill.half + 1), y: pill.y };
  return { x: x + side * (BAR / 2 + 2), y };
}

function lineOf(view, arrow) {
  const from = endAt(view, arrow.e0, arrow.p0, arrow.c0, xOf(view, arrow.p1));
  const to = endAt(view, arrow.e1, arrow.p1, arrow.c1, xOf(view, arrow.p0));
  if (arrow.kind === DATA && !arrow.e1)
    to.y = Math.max(to.y, from.y + Math.min(9, 0.3 * ROW));
  return { from, to };
}

function head(context, tip, tail) {
  const angle = Math.atan2(tip.y - tail.y, tip.x - tail.x);
  context.beginPath();
  context.moveTo(tip.x, tip.y);
  for (const turn of [2.72, -2.72])
    context.lineTo(tip.x + 9 * Math.cos(angle + turn), tip.y + 9 * Math.sin(angle + turn));
  context.fill();
}

function drawArrow(view, context, colour, arrow, isMarked) {
  const { from, to } = lineOf(view, arrow), isData = arrow.kind === DATA;
  const shade = isMarked ? colour.mark : isData || arrow.kind === 4 ? colour.put : colour.sync;
  context.strokeStyle = context.fillStyle = shade;
  context.lineWidth = isMarked ? 2.5 : isData ? 1.8 : 1.4;
  context.setLineDash(isData ? [] : [5, 4]);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  context.setLineDash([]);
  if (!arrow.back)
    head(context, to, from);
  if (arrow.back || arrow.both)
    head(context, from, to);
  return { x: 0.65 * from.x + 0.35 * to.x, y: 0.65 * from.y + 0.35 * to.y };
}

function drawOver(context, colour, at, text) {
  context.font = "10px system-ui, 'DejaVu Sans', sans-serif";
  context.textAlign = "center";
  context.lineWidth = 3;
  context.strokeStyle = colour.back;
  context.strokeText(text, at.x, at.y - 7);
  context.fillStyle = colour.faint;
  context.fillText(text, at.x, at.y - 7);
}

/* Of how many arrows it is one, or else how much data it stands for. */
function arrowText(view, group) {
  const from = view.data.events[group.arrow.e0 - 1];
  if (group.count > 1)
    return `\u00d7${group.count}`;
  return group.arrow.kind === DATA && from ? bytesText(from.bytes) : "";
}

function drawArrows(view, context, colour) {
  const n = view.columns.length, cell = new Map(), groups = [], labels = [];
  const kept = 9; /* pixels within which arrows of two lifelines coincide */
  let summed = 0;
  for (const arrow of view.arrows) {
    const y0 = yOf(view, arrow.c0), y1 = yOf(view, arrow.c1);
    if (Math.max(y0, y1) < HEAD || Math.min(y0, y1) > view.height)
      continue;
    const key = (view.columnOf[arrow.p0] * n + view.columnOf[arrow.p1]) * 2 + (arrow.kind === DATA ? 1 : 0);
    const group = cell.get(key), a = Math.floor(y0 / kept), b = Math.floor(y1 / kept);
    if (group && group.a === a && group.b === b && arrow !== view.chosen) {
      group.count++;
      summed++;
      continue;
    }
    const fresh = { a, b, arrow, count: 1 };
    cell.set(key, fresh);
    groups.push(fresh);
  }
  /* Too many to tell apart: the more there are the fainter each is. */
  context.globalAlpha = Math.max(0.12, Math.min(1, 500 / groups.length));
  for (const group of groups) {
    const middle = drawArrow(view, context, colour, group.arrow, false);
    if (groups.length < 150 && columnWidth(view) > 110 && !labels.some((other) => Math.abs(other.x - middle.x) < 45 && Math.abs(other.y - middle.y) < 12)) {
      drawOver(context, colour, middle, arrowText(view, group));
      labels.push(middle);
    }
  }
  context.globalAlpha = 1;
  return { drawn: groups.length, summed };
}

function drawPills(view, context, colour) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { event, text, x, y, half } of view.pills.values()) {
    const isMarked = event === view.chosen || event === view.hover;
    context.fillStyle = isMarked ? colour.mark : eventColour(colour, event);
    context.beginPath();
    context.roundRect(x - half, y - PILL / 2, 2 * half, PILL, 5);
    context.fill();
    context.strokeStyle = colour.back;
    context.lineWidth = 1.2;
    context.stroke();
    context.fillStyle = colour.on;
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.fillText(text, x, y + 0.5);
  }
}

function drawMarks(view, context, colour) {
  for (const item of [view.chosen, view.hover]) {
    if (!item || item.is !== "event" || view.columnOf[item.p] < 0)
      continue;
    for (const arrow of [...item.into, ...item.outOf])
      if (arrow.c0 !== undefined && view.shownArrows.has(arrow))
        drawArrow(view, context, colour, arrow, true);
    const y0 = yOf(view, item.c0), y1 = Math.max(y0 + 3, yOf(view, item.c1)), x = xOf(view, item.p);
    context.strokeStyle = colour.mark;
    context.lineWidth = 2;
    context.strokeRect(x - BAR / 2 - 3, y0 - 1, BAR + 6, y1 - y0 + 2);
  }
  for (const item of [view.chosen, view.hover])
    if (item && item.is === "arrow" && view.shownArrows.has(item))
      drawArrow(view, context, colour, item, true);
}

function drawHead(view, context, colour) {
  const width = columnWidth(view);
  context.fillStyle = colour.back;
  context.fillRect(0, 0, view.width, HEAD - 8);
  context.fillStyle = colour.line;
  context.fillRect(0, HEAD - 8, view.width, 1);
  context.textAlign = "center";
  context.textBaseline = "middle";
  const several = new Set(view.data.processes.map((process) => process.node)).size > 1;
  view.columns.forEach((p) => {
    const x = xOf(view, p), { rank, node } = view.data.processes[p];
    context.fillStyle = colour.text;
    context.font = "600 12px system-ui, 'DejaVu Sans', sans-serif";
    context.fillText(width < 60 ? `${rank}` : `rank ${rank}`, x, several ? 11 : 16);
    context.font = "10px system-ui, 'DejaVu Sans', sans-serif";
    context.fillStyle = colour.faint;
    if (several)
      context.fillText(width < 60 ? `n${node}` : `node ${node}`, x, 24);
  });
  context.clearRect(0, 0, STRIP + GUTTER, HEAD - 8);
  context.fillStyle = colour.back;
  context.fillRect(0, 0, STRIP + GUTTER, HEAD - 8);
  context.fillStyle = colour.faint;
  context.textAlign = "right";
  context.fillText(view.isOrder ? "order \u2193" : "time \u2193", STRIP + GUTTER - 10, 16);
}

/* The whole at the left: how much was waited, and which part is shown. */
function drawStrip(view, context, colour) {
  const height = view.height - HEAD, span = view.last - view.first, scale = height / span;
  context.fillStyle = colour.back;
  context.fillRect(0, HEAD - 6, STRIP, view.height);
  context.fillStyle = colour.grid;
  context.fillRect(2, HEAD, STRIP - 4, height);
  if (!view.strip || view.strip.length !== Math.ceil(height)) {
    view.strip = new Float32Array(Math.max(1, Math.ceil(height)));
    for (const event of view.events)
      for (const wait of event.waits) {
        const end = Math.min(view.strip.length - 1, Math.floor((wait.c1 - view.first) * scale));
        for (let y = Math.max(0, Math.floor((wait.c0 - view.first) * scale)); y <= end; y++)
          view.strip[y]++;
      }
  }
  context.fillStyle = colour.life;
  const most = Math.max(1, view.strip.reduce((one, other) => Math.max(one, other), 0));
  view.strip.forEach((count, y) => count && context.fillRect(2, HEAD + y, (STRIP - 4) * Math.sqrt(count / most), 1));
  context.strokeStyle = colour.mark;
  context.lineWidth = 1.5;
  const y0 = Math.max(0, (view.top - view.first) * scale), y1 = Math.min(height, (bottomOf(view) - view.first) * scale);
  context.strokeRect(1, HEAD + y0, STRIP - 2, Math.max(4, y1 - y0 - 1));
}

function draw(view, canvas) {
  const ratio = view.isPrint ? 2 : window.devicePixelRatio || 1, context = canvas.getContext("2d");
  const size = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1])
    [canvas.width, canvas.height] = size;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colour = colours(), began = performance.now();
  context.fillStyle = colour.back;
  context.fillRect(0, 0, view.width, view.height);
  const top = view.top - 12 / view.scale, bottom = bottomOf(view) + 12 / view.scale;
  view.visible = view.events.filter((event) => event.c1 >= top && event.c0 <= bottom);
  drawGrid(view, context, colour);
  const epochs = drawEpochs(view, context, colour);
  drawLives(view, context, colour);
  view.pills = layPills(view, context);
  const bars = drawBars(view, context, colour, hatching(context, colour, ratio)), arrows = drawArrows(view, context, colour);
  drawMarks(view, context, colour);
  drawPills(view, context, colour);
  drawHead(view, context, colour);
  drawStrip(view, context, colour);
  view.drawn = { epochs, bars: bars.drawn, summed: bars.summed + arrows.summed, waits: bars.waits, arrows: arrows.drawn,
    names: view.pills.size, ms: performance.now() - began };
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What is at a point of the picture, and how it is told in words. */

function distanceToLine(x, y, from, to) {
  const dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const along = length ? Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / length)) : 0;
  return Math.hypot(x - from.x - along * dx, y - from.y - along * dy);
}

function eventAt(view, x, y) {
  let found = null, least = 5;
  for (const { event, x: middle, y: at, half } of view.pills.values())
    if (Math.abs(x - middle) <= half && Math.abs(y - at) <= PILL / 2)
      return event;
  for (const event of view.visible) {
    if (Math.abs(x - xOf(view, event.p)) > BAR)
      continue;
    const y0 = yOf(view, event.c0), y1 = yOf(view, event.c1), off = y < y0 ? y0 - y : y > y1 ? y - y1 : 0;
    if (off < least || (off === least && off === 0))
      [found, least] = [event, off];
  }
  return found;
}

function arrowAt(view, x, y) {
  let found = null, least = 5;
  for (const arrow of view.arrows) {
    const y0 = yOf(view, arrow.c0), y1 = yOf(view, arrow.c1);
    if (Math.max(y0, y1) < y - 20 || Math.min(y0, y1) > y + 20)
      continue;
    const { from, to } = lineOf(view, arrow), off = distanceToLine(x, y, from, to);
    if (off < least)
      [found, least] = [arrow, off];
  }
  return found;
}

function epochAt(view, x, y) {
  const lane = Math.min(LANE, Math.max(2, (columnWidth(view) / 2 - 4) / LANES));
  return view.epochs.find((epoch) => {
    const off = x - xOf(view, epoch.p), at = Math.floor(Math.abs(off) / lane);
    const isSide = epoch.kind === EPOCH.fence || (epoch.kind === EPOCH.exposure ? off > 0 : off < 0);
    return isSide && at === epoch.lane && y >= yOf(view, epoch.c0) && y <= yOf(view, epoch.c1);
  }) || null;
}

function itemAt(view, x, y) {
  if (y < HEAD || x < STRIP + GUTTER)
    return null;
  return eventAt(view, x, y) || arrowAt(view, x, y) || epochAt(view, x, y);
}

/* ---- in words ---- */

function assertions(mode) {
  return ["NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED"].filter((name, bit) => mode & (1 << bit)).map((name) => `MPI_MODE_${name}`).join(" | ");
}

function memberName(data, w, rank) {
  const window = data.windows[w];
  return rank < 0 || !window ? "several ranks" : rankName(data, window.processes[rank] ?? -1);
}

function wordsOfEvent(data, event) {
  const isData = event.kind === EVENT.operation || event.kind === EVENT.applied, epoch = data.epochOfId.get(event.epoch);
  const rows = [["rank", rankName(data, event.p) + (event.thread ? `, thread ${event.thread}` : "")], ["window", windowName(data, event.w)],
    ["at", data.places[event.place]], ["begins", timeText(event.t0)], ["takes", timeText(event.t1 - event.t0) + (event.open ? ", never ended" : "")]];
  if (event.rank >= 0)
    rows.push([{ [EVENT.applied]: "origin", [EVENT.message]: event.way ? "from" : "to" }[event.kind] ?? "target", memberName(data, event.w, event.rank)]);
  if (isData || event.kind === EVENT.message)
    rows.push(["data", bytesText(event.bytes) + (isData ? ` at byte ${event.displacement}` : "")]);
  if (event.kind === EVENT.operation)
    rows.push(["way", data.ways[event.way]]);
  if (epoch)
    rows.push(["epoch", `${data.epoch_kinds[epoch.kind]} ${epoch.number}`]);
  for (const wait of event.waits.slice(0, 8))
    rows.push(["waited", `${timeText(wait.t1 - wait.t0)} for ${memberName(data, event.w, wait.rank)}`]);
  if (event.kind === EVENT.finding)
    rows.push(["finding", data.findings[event.value]], ["conflicts with", data.places[event.other]]);
  if (event.kind === EVENT.moved)
    rows.push(["data", bytesText(event.bytes)]);
  if (event.kind === EVENT.call)
    rows.push(["assertions", assertions(event.mode)], ["lock", /lock$/.test(data.names[event.call]) && event.mode & EXCLUSIVE ? "exclusive" : ""]);
  if (event.mode & FAILED && event.kind !== EVENT.finding)
    rows.push(["result", "an error"]);
  return { title: event.kind === EVENT.finding ? "Conflict" : data.calls[event.call] || pillText({ data }, event), rows };
}

function wordsOfEpoch(data, epoch) {
  return { title: `${data.epoch_kinds[epoch.kind]} epoch ${epoch.number}`, rows: [["rank", rankName(data, epoch.p)], ["window", windowName(data, epoch.w)],
    ["target", epoch.rank >= 0 ? memberName(data, epoch.w, epoch.rank) : ""], ["lock", epoch.kind === EPOCH.lock ? (epoch.mode & EXCLUSIVE ? "exclusive" : "shared") : ""],
    ["begins", timeText(epoch.t0)], ["takes", timeText(epoch.t1 - epoch.t0) + (epoch.open ? ", never ended" : "")],
    ["operations", `${epoch.operations}, ${bytesText(epoch.bytes)}`], ["waited", timeText(epoch.waited)],
    ["from", data.places[epoch.place]], ["to", data.places[epoch.endPlace]]] };
}

function wordsOfArrow(data, arrow) {
  const from = data.events[arrow.e0 - 1], to = data.events[arrow.e1 - 1];
  const name = (event, p) => (event ? `${data.calls[event.call]}, ${rankName(data, p)}` : rankName(data, p));
  return { title: arrow.kind === DATA ? "Data" : `Synchronization: ${data.arrow_kinds[arrow.kind]}`, rows: [["window", windowName(data, arrow.w)],
    [arrow.back ? "to" : "from", name(from, arrow.p0)], [arrow.back ? "from" : "to", name(to, arrow.p1)],
    ["data", arrow.kind === DATA && from ? bytesText(from.bytes) : ""], ["begins", timeText(arrow.t0)], ["takes", timeText(arrow.t1 - arrow.t0)],
    ["waited", arrow.waited ? `${timeText(arrow.waited)} by ${rankName(data, arrow.p1)}` : ""]] };
}

function wordsOf(data, item) {
  const words = { event: wordsOfEvent, epoch: wordsOfEpoch, arrow: wordsOfArrow }[item.is](data, item);
  words.rows = words.rows.filter((row) => row[1]);
  return words;
}

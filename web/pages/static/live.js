// A page that lives: one stream for a visible tab, values by the keys of their places. Text
// is only ever set as text.
import { draw } from "./chart.js";

const body = document.body, conn = document.getElementById("conn");
const ahead = +body.dataset.now - Date.now(); // of the host's clock before the browser's
let stream = null, after = body.dataset.after;

const now = () => Date.now() + ahead;
const pad = n => String(n).padStart(2, "0");
const clock = ms => {
  const s = Math.max(0, Math.floor(ms / 1000)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h ? h + ":" + pad(m) + ":" + pad(s % 60) : m + ":" + pad(s % 60);
};
const hour = ms => { const d = new Date(+ms); return pad(d.getHours()) + ":" + pad(d.getMinutes()) + ":" + pad(d.getSeconds()); };

const setters = {
  text: (e, v) => { if (e.textContent !== v) e.textContent = v; },
  state: (e, v) => { e.dataset.state = v; },
  since: (e, v) => { e.dataset.since = v; tick(e); },
  value: (e, v) => { e.setAttribute("value", v); if ("value" in e) e.value = v; },
  max: (e, v) => { e.setAttribute("max", v); },
  show: (e, v) => { e.hidden = v === ""; },
  href: (e, v) => address(e, "href", v),
  src: (e, v) => address(e, "src", v),
  action: (e, v) => address(e, "action", v),
  hour: (e, v) => { e.textContent = hour(v); e.dataset.at = v; },
};
const address = (e, name, v) => { if (v) e.setAttribute(name, body.dataset.base + v); else e.removeAttribute(name); };
const tick = e => { e.textContent = e.dataset.since ? clock(now() - e.dataset.since) : ""; };

// own finds the elements that match in a row, or on the page, but not those of its rows.
const own = (row, selector) => [row, ...row.querySelectorAll(selector)].filter(e => e.matches?.(selector) && e.closest("[data-id]") === (row === document ? null : row));
const listOf = (row, name) => row.querySelector(`[data-rows="${name}"], [data-tail="${name}"]`);

// scope follows a path of lists and rows to the row in which its last key is.
function scope(path) {
  let at = document;
  for (let i = 0; i + 1 < path.length; i += 2) {
    const list = listOf(at, path[i]);
    at = list && [...list.children].find(c => c.dataset.id === path[i + 1]);
    if (!at) return null;
  }
  return at;
}

function apply([op, value, items]) {
  const path = op.slice(1).split("/"), key = path[path.length - 1], at = scope(path);
  if (!at) return;
  switch (op[0]) {
    case "=": return set(at, key, value);
    case "*": return rows(listOf(at, key), value);
    case "+": return grow(listOf(at, key), value, items);
  }
}

function set(at, key, value) {
  for (const kind in setters) for (const e of own(at, `[data-p~="${kind}:${key}"]`)) setters[kind](e, value);
}

function rows(list, ids) {
  if (!list) return;
  const old = new Map([...list.children].filter(c => c.dataset.id !== undefined).map(c => [c.dataset.id, c]));
  const blank = list.querySelector(":scope > template");
  let last = blank;
  for (const id of ids) {
    let row = old.get(id);
    if (!row) { row = blank.content.firstElementChild.cloneNode(true); row.dataset.id = id; }
    old.delete(id);
    if (last.nextElementSibling !== row) last.after(row);
    last = row;
  }
  for (const row of old.values()) row.remove();
}

function grow(list, from, items) {
  if (!list) return;
  const max = +list.dataset.max, whole = +list.dataset.end === from;
  list.dataset.end = from + items.length;
  if (list.dataset.chart) {
    const points = whole && list.dataset.points ? list.dataset.points.split(";") : [];
    list.dataset.points = points.concat(items.map(i => i.join(" "))).slice(-max).join(";");
    return draw(list, now());
  }
  const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const blank = list.querySelector(":scope > template");
  if (!whole) list.replaceChildren(blank);
  for (const item of items) {
    const row = blank.content.firstElementChild.cloneNode(true);
    const fields = row.matches("[data-f]") ? [row] : row.querySelectorAll("[data-f]");
    fields.forEach((e, i) => setters[e.dataset.f](e, item[i]));
    list.append(row);
  }
  while (list.children.length - 1 > max) blank.nextElementSibling.remove();
  if (bottom) list.scrollTop = list.scrollHeight;
}

function state(name) {
  if (!conn) return;
  conn.dataset.state = name;
  conn.lastElementChild.textContent = name === "on" ? conn.dataset.live : conn.dataset.cut;
}

function open() {
  if (!body.dataset.topic || stream || document.hidden) return;
  const query = new URLSearchParams({ topic: body.dataset.topic, after });
  stream = new EventSource(body.dataset.base + "/events?" + query);
  stream.onopen = () => state("on");
  stream.onerror = () => { state("off"); if (stream?.readyState === EventSource.CLOSED) { stream = null; setTimeout(again, 3000); } };
  stream.addEventListener("patch", e => { after = e.lastEventId; JSON.parse(e.data).forEach(apply); });
  stream.addEventListener("resync", () => location.reload());
}
function close() { stream?.close(); stream = null; }

// again follows an answer that was no stream. Once the session has ended the page itself is refused, too: a reload leads
// to the login.
async function again() {
  const page = await fetch(location.href, { method: "HEAD" }).catch(() => null);
  if (page?.status === 401) location.reload(); else open();
}

document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
addEventListener("pagehide", close);
addEventListener("pageshow", open);
for (const e of document.querySelectorAll("[data-chart]")) draw(e, now());
const chat = document.getElementById("chat");
if (chat) chat.scrollTop = chat.scrollHeight;
setInterval(() => document.querySelectorAll("[data-since]").forEach(tick), 1000);
open();

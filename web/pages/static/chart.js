// Charts: own SVG, a few paths, drawn again when a point comes.
const NS = "http://www.w3.org/2000/svg", W = 720, H = 140, L = 46, T = 8, B = 18;
const make = (name, attributes, text) => {
  const e = document.createElementNS(NS, name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};
const nice = most => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(n => n >= most) ?? most;

// marks are what has happened in the last seconds of a chart, with its words where the pointer rests.
function marks(svg, now, seconds, X) {
  for (const at of document.querySelectorAll(".events time[data-at]")) {
    const ago = (now - at.dataset.at) / 1000, x = X(seconds - 1 - ago), row = at.parentElement;
    if (ago > seconds || ago < 0) continue;
    const mark = make("g", { class: "event" });
    mark.append(make("title", {}, row.textContent.trim()), make("line", { x1: x, x2: x, y1: T, y2: H - B }), make("circle", { cx: x, cy: T, r: 4 }));
    svg.append(mark);
  }
}

export function draw(svg, now) {
  const late = svg.dataset.chart === "late"; // else it shows pings
  const points = svg.dataset.points ? svg.dataset.points.split(";").map(p => p.split(" ").map(Number)) : [];
  const most = nice(Math.max(late ? 1 : 100, ...points.flat()));
  const slots = +svg.dataset.max, X = i => L + (W - L) * i / (slots - 1), first = slots - points.length, Y = v => T + (H - T - B) * (1 - v / most);
  svg.replaceChildren();
  for (const part of [0, 0.5, 1]) {
    svg.append(make("line", { x1: L, x2: W, y1: Y(most * part), y2: Y(most * part), class: "grid-line" }));
    svg.append(make("text", { x: L - 6, y: Y(most * part) + 4, "text-anchor": "end" }, String(most * part)));
  }
  for (let i = 0; i <= 5; i++) svg.append(make("text", { x: L + (W - L) * i / 5, y: H - 3, "text-anchor": i === 5 ? "end" : i ? "middle" : "start" }, i === 5 ? "0" : "−" + (5 - i) + ":00"));
  const columns = Math.max(0, ...points.map(p => p.length));
  for (let c = 0; c < columns; c++) {
    let d = "", pen = "M";
    points.forEach((p, i) => {
      const known = late || p[c] > 0;
      if (known) d += pen + X(first + i).toFixed(1) + " " + Y(p[c] || 0).toFixed(1);
      pen = known ? "L" : "M";
    });
    if (d) svg.append(make("path", { d, class: late ? (c ? "worst" : "median") : "line line-" + c % 12 }));
  }
  if (late) marks(svg, now, slots, X);
}

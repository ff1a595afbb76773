// What pages do besides living: forms without leaving the page, questions, keys. Without it
// each form leads to a page with the answer.
import "./live.js";

const $ = s => document.querySelector(s);
const base = document.body.dataset.base;

function toast(text) {
  const line = document.createElement("div");
  line.textContent = text;
  $("#toast").append(line);
  setTimeout(() => line.remove(), 6000);
}

// say shows answers: below the chat where there is one.
function say(lines) {
  const list = $("#answers");
  if (!list) return lines.forEach(toast);
  for (const text of lines) {
    const row = document.createElement("li");
    row.textContent = text;
    list.append(row);
  }
  while (list.children.length > 20) list.firstElementChild.remove();
  list.scrollTop = list.scrollHeight;
}

function ask(text) {
  const dialog = $("#ask");
  dialog.firstElementChild.textContent = text;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise(done => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

// send posts a form; false: it was refused, which is shown.
async function send(to, fields) {
  try {
    const answer = await fetch(to, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    if (!answer.headers.get("Content-Type")?.startsWith("application/json")) {
      toast((await answer.text()).slice(0, 200));
      return false;
    }
    const said = await answer.json();
    say(said.refused ? [said.refused] : said.lines);
    return !said.refused;
  } catch (fault) {
    toast(String(fault));
    return false;
  }
}

// upload sends a form with a file, and shows how much of it has gone; fetch would not tell.
function upload(form) {
  const bar = form.querySelector("progress"), button = form.querySelector("button"), request = new XMLHttpRequest();
  request.upload.onprogress = e => { bar.max = e.total; bar.value = e.loaded; };
  request.onload = () => {
    let said = { refused: request.responseText.slice(0, 200) };
    try { said = JSON.parse(request.responseText); } catch { /* no JSON: shown as it is */ }
    if (said.refused || said.detail) say([said.refused || said.detail]);
    else location = base + "/maps?q=" + encodeURIComponent(form.elements.map.files[0].name);
  };
  request.onerror = () => toast(form.dataset.cut);
  request.onloadend = () => { bar.hidden = true; button.disabled = false; };
  bar.hidden = false;
  button.disabled = true;
  request.open("POST", form.getAttribute("action"));
  request.setRequestHeader("Accept", "application/json");
  request.send(new FormData(form));
}

document.addEventListener("submit", async e => {
  const form = e.target;
  if (form.hasAttribute("data-upload")) {
    e.preventDefault();
    if (form.elements.map.files[0].size > Number(form.dataset.upload)) return toast(form.querySelector("p").textContent);
    return upload(form);
  }
  if (!form.hasAttribute("data-send")) return;
  e.preventDefault();
  const question = e.submitter?.dataset.ask;
  if (question && !await ask(question)) return;
  const fields = new URLSearchParams(new FormData(form)), line = form.dataset.send === "clear" && form.elements.text;
  if (line) form.reset(); // at once: the next line may be typed while this one is on its way
  const done = await send(form.getAttribute("action"), fields);
  if (!done && line && !line.value) line.value = fields.get("text");
  if (!done) return;
  if (form.dataset.send === "reload") location.reload();
  form.closest("details")?.removeAttribute("open");
});

// A browser scrolls no table aside for a control of which it shows an edge already.
document.addEventListener("focusin", e => { if (e.target.parentElement.closest(".scroll")) e.target.scrollIntoView({ block: "nearest", inline: "nearest" }); });

const rows = () => [...document.querySelectorAll("main [data-id], main [data-row]")].filter(r => r.querySelector("a[href]") && !r.parentElement.closest("[data-id]"));
let chosen = null, go = false;
function choose(step) {
  const all = rows();
  const at = Math.max(0, Math.min(all.length - 1, all.indexOf(chosen) + step));
  chosen?.classList.remove("chosen");
  chosen = all[at];
  chosen?.classList.add("chosen");
  chosen?.scrollIntoView({ block: "nearest" });
  chosen?.querySelector("a[href]").focus({ preventScroll: true });
}

addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  if (e.target.matches("input, select, textarea")) { if (e.key === "Escape") e.target.blur(); return; }
  const to = go && { o: "/", m: "/maps", h: "/history", s: "/system" }[e.key];
  go = e.key === "g";
  if (to) { location = base + to; return; }
  switch (e.key) {
    case "/": $("#q")?.focus(); break;
    case "j": choose(1); break;
    case "k": choose(-1); break;
    case "c": $("#text")?.focus(); break;
    case "?": $("#help").showModal(); break;
    default: return;
  }
  e.preventDefault();
});

// The what-if page: what is opened, how it is run, and where its answers are shown.

import { ask, follow, piece } from "./ask.js";
import { Description, asLink, fromLink } from "./describe.js";
import { Editor } from "./editor.js";
import { Levers, pickers } from "./levers.js";
import { Tabs } from "./tabs.js";

const $ = (id) => document.getElementById(id);
const OF_SCENARIO = ["timeline", "why", "system", "devices", "text", "variants"];
const OF_SITE = ["capacity", "nights", "points", "protection", "system", "text", "variants"];
const PAUSE = 250; // milliseconds
const NAMES = { "report.html": "Report", "tables.xlsx": "Excel", "scenario.yaml": "Scenario" };

let opened = null; // the document: its key, its name, and the text that was opened
let answered = null; // the variant that is shown, which is the one before of the next
let running = null; // what aborts the run
let origin = null; // the site that the form describes, or the name of a scenario; null for uploaded files

const editor = new Editor(
  { area: $("text"), gutter: $("gutter"), words: $("words"), checked: $("checked") },
  { ask: (path, asked) => ask(path, { document: opened.document, ...asked }), run, changed: () => stale(true) },
);
const levers = new Levers($("levers"), () => { stale(true); if ($("live").checked) soon(); });
const description = new Description($("describer"), describe);
const tabs = new Tabs($("tabs"), (name) => {
  if (name === "variants") showVariants();
  if (name === "points") showPoints();
});
$("points").addEventListener("submit", (event) => { event.preventDefault(); showPoints(); });
$("points-at").addEventListener("change", () => showPoints());

/** Show the restore points of the text on the date that is chosen; at first, a year after the start. */
async function showPoints() {
  const found = await ask("points", { document: opened.document, text: editor.text, at: $("points-at").value });
  if (found.kind === "points") {
    const at = $("points-at");
    [at.value, at.min, at.max] = [found.at, found.first, found.last];
  }
  if (found.html === undefined) $("points-found").textContent = `No answer: ${found.why}.`;
  else $("points-found").innerHTML = found.html;
}

/** Run when nothing has moved for a moment. */
function soon() {
  clearTimeout(soon.timer);
  soon.timer = setTimeout(run, PAUSE);
}

function stale(is) {
  $("cards").classList.toggle("stale", is);
  $("brief").classList.toggle("stale", is);
  $("undo").disabled = false;
}

function status(text, done = 0, of = 0) {
  if ($("status").dataset.step !== text) $("status").textContent = $("status").dataset.step = text;
  const bar = $("progress");
  bar.hidden = $("percent").hidden = $("cancel").hidden = running === null;
  $("percent").textContent = of > 0 ? `${Math.floor((100 * done) / of)} %` : "";
  if (of > 0) { bar.max = of; bar.value = done; } else bar.removeAttribute("value");
}

/** Run the text with what has moved; a run under way is ended. */
async function run() {
  clearTimeout(soon.timer);
  const own = takeTurn(new AbortController());
  const asked = {
    document: opened.document, text: editor.text, changes: levers.take(), before: answered, until: $("until").value,
  };
  $("problems").replaceChildren();
  $("keeping").hidden = true;
  stale(true);
  status("Starting");
  await answers(asked, own);
}

/** Let a run take the place of the one under way; that of a kept variant goes on, for its intervals and files. */
function takeTurn(own) {
  if (!running?.kept) running?.abort();
  return (running = own);
}

/** Show the answers of a run; `opens` is called with what comes before it is under way. */
async function answers(asked, own, opens = () => {}) {
  try {
    await follow("run", asked, own.signal, (message) => {
      if (running === own) heard(message);
      else if (!message.variant) opens(message);
      else if (message.kind === "done" && !$("panel-variants").contains(document.activeElement)) showVariants();
    });
    if (running === own) ended("");
  } catch (error) {
    if (running !== own) return; // a newer run has taken its place
    if (error.name !== "AbortError") console.error(error);
    ended(error.name === "AbortError" ? "Cancelled." : "The server does not answer.");
  }
}

function ended(text) {
  running = null;
  status(text || $("status").dataset.last || "");
  $("status").dataset.last = "";
}

function heard(message) {
  const act = {
    waiting: () => status(`Waiting for ${message.ahead} other run${message.ahead === 1 ? "" : "s"}`),
    progress: () => status(`${message.step[0].toUpperCase()}${message.step.slice(1)}`, message.done, message.of),
    opened: () => begun(message),
    warnings: () => warn(message),
    answer: () => {
      $("cards").innerHTML = message.html;
      for (const id of ["cards", "brief"]) $(id).classList.remove("stale");
      $("brief").textContent = $("cards").querySelector(".short")?.textContent ?? "";
      answered = message.variant;
      $("variant-name").value = message.called;
      $("keeping").hidden = false;
    },
    detail: () => { $(`panel-${message.name}`).innerHTML = message.html; },
    problems: () => {
      editor.show(message.text);
      editor.mark(message);
      $("problems").innerHTML = message.html;
      $("status").dataset.last = message.right ? "" : "It cannot be run as it is.";
      tabs.select("text");
    },
    failed: () => { $("problems").textContent = `No answer: ${message.why}.`; $("status").dataset.last = "It was stopped."; },
    saved: () => downloads(message),
    done: () => { downloads(message); $("status").dataset.last = "Done."; },
  }[message.kind];
  act?.();
}

/** Show what is known before anything is simulated. */
function begun(message) {
  $("title").textContent = message.title;
  $("question").textContent = message.question;
  document.title = `${message.title} - what if? - simbackup`;
  editor.show(message.text);
  levers.show(message.levers);
  linked(message);
  $("horizon").hidden = !message.site;
  tabs.offer(message.site ? OF_SITE : OF_SCENARIO);
  if (!$("panel-points").hidden) showPoints();
  $("downloads").replaceChildren();
  $("problems").replaceChildren();
}

/** Let the address of the page hold the question, so that a link or a bookmark asks it again. */
function linked({ text, site }) {
  const link = new URL(location);
  const question = { ...origin, ...(text === opened.text ? {} : { text }), ...(site ? { until: $("until").value } : {}) };
  link.hash = origin ? asLink(question) : "";
  history.replaceState(null, "", link);
}

/** Show what is doubtful about it. */
function warn(message) {
  $("problems").replaceChildren(...[...(opened.notes ?? []), ...message.warnings].map((text) => {
    const line = document.createElement("p");
    line.className = "warning faint";
    line.textContent = text;
    return line;
  }));
}

function downloads(message) {
  $("downloads").replaceChildren(...message.files.map((name) => {
    const link = document.createElement("a");
    link.href = `variants/${message.variant}/${name}`;
    link.textContent = NAMES[name];
    return link;
  }));
}

/** Show the kept variants. */
async function showVariants() {
  $("panel-variants").innerHTML = await piece("variants");
  const count = $("panel-variants").querySelectorAll("[data-drop]").length;
  $("kept").textContent = count ? `(${count})` : "";
}

/** Open a scenario by name, or uploaded files, and run it; `text` and `until` are those of a link. */
async function open(asked, { text, until } = {}) {
  const found = await ask("open", asked);
  if (!found.document) { refused("chooser", "upload-problems", found); return; }
  if (until) $("until").value = until;
  show(found, asked.files ? null : asked, text);
  await run();
}

/** Say in a dialog why something cannot be opened. */
function refused(dialog, said, found) {
  if (found.html) $(said).innerHTML = found.html; else $(said).textContent = found.why;
  if (!$(dialog).open) $(dialog).showModal();
  $(dialog).scrollTop = 0;
}

/** Show a document that was opened, as `from` asks for it; `text` is that of a link. */
function show(found, from, text) {
  opened = found;
  answered = null;
  origin = from;
  editor.show(text ?? found.text);
  levers.clear();
  for (const panel of document.querySelectorAll("[role=tabpanel]:not(#panel-text, #panel-points, #panel-variants)")) {
    panel.innerHTML = '<p class="faint">Nothing to show yet.</p>';
  }
  $("keeping").hidden = true;
  for (const id of ["cards", "brief", "problems", "upload-problems", "description-problems", "levers", "points-found"]) $(id).replaceChildren();
  $("points-at").value = "";
  $("title").textContent = found.name;
  $("question").textContent = "";
  $("original").textContent = found.original;
  $("below").hidden = !found.original;
  $("undo").disabled = text === undefined;
  $("chooser").close();
  $("describer").close();
  $("workspace").hidden = false;
  tabs.offer(OF_SCENARIO);
}

/** Open the site that the form describes, in the request that runs it. */
async function describe(described, { text, until } = {}) {
  $("description-problems").replaceChildren();
  if (until) $("until").value = until;
  const own = new AbortController();
  const table = text === undefined && description.inventory;
  if (table) described = { ...described, groups: [], inventory: table.name };
  const files = table ? { files: await coded([table]) } : {};
  const asked = { ...files, described, until: $("until").value, ...(text === undefined ? {} : { text }) };
  let first = { why: "The server does not answer." };
  $("plan-site").disabled = true;
  await answers(asked, own, (message) => {
    first = message;
    if (message.kind !== "document") return;
    $("plan-site").disabled = false;
    takeTurn(own);
    show(message, table ? null : { described }, text);
    status("Starting");
  });
  $("plan-site").disabled = false;
  if (first.kind !== "document") refused("describer", "description-problems", first);
}

/** Files by their names, in base 64. */
async function coded(files) {
  const contents = {};
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    contents[file.name] = btoa(text);
  }
  return contents;
}

$("run").addEventListener("click", run);
$("cancel").addEventListener("click", () => { running?.abort(); levers.form.querySelector("input, select")?.focus(); });
$("until").addEventListener("change", () => { stale(true); if ($("live").checked) run(); });
$("undo").addEventListener("click", () => { levers.clear(); editor.show(opened.text); run(); $("undo").disabled = true; });
$("whole").addEventListener("click", () => { editor.show($("original").textContent); editor.area.focus(); stale(true); });
$("problems").addEventListener("click", (event) => { if (event.target.dataset.line) { tabs.select("text"); editor.jump(event.target); } });
$("keeping").addEventListener("submit", async (event) => {
  event.preventDefault();
  const found = await ask("keep", { variant: answered, name: $("variant-name").value });
  if (found.why) $("problems").textContent = found.why;
  else if (running) running.kept = true;
  await showVariants();
  tabs.select("variants");
});
$("panel-variants").addEventListener("click", async ({ target }) => {
  if (target.dataset.drop) { await ask("drop", { variant: target.dataset.drop }); await showVariants(); }
  if (target.dataset.open) {
    levers.clear();
    editor.show(await piece(`variants/${target.dataset.open}/scenario.yaml`));
    run();
  }
});
$("choose").addEventListener("click", () => $("chooser").showModal());
$("describe").addEventListener("click", () => description.show());
$("to-form").addEventListener("click", () => { $("chooser").close(); description.show(); });
$("chooser").addEventListener("click", (event) => {
  const button = event.target.closest("[data-name]");
  if (button) { event.preventDefault(); open({ name: button.dataset.name }); }
});
$("files").addEventListener("change", async ({ target }) => {
  const files = await coded(target.files);
  target.value = "";
  if (Object.keys(files).length) await open({ files });
});
$("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase().split(/\s+/);
  for (const group of document.querySelectorAll(".offered")) {
    for (const item of group.querySelectorAll("li")) {
      const text = `${item.textContent} ${item.firstElementChild.dataset.name}`.toLowerCase();
      item.hidden = !wanted.every((word) => text.includes(word));
    }
    group.hidden = ![...group.querySelectorAll("li")].some((item) => !item.hidden);
  }
});
$("filter").addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });

const own = new URL(location);
own.searchParams.delete("key"); // it has let this browser in; nobody reads it over a shoulder
history.replaceState(null, "", own);
const { described: form, name, ...asked } = fromLink(own.hash) ?? {};
if (form) description.fill(form);
if (form) describe(form, asked);
else if (name) open({ name }, asked);
else if (document.body.dataset.first) open({ name: document.body.dataset.first });
else $("chooser").showModal();
pickers(document, JSON.parse(await piece("sheets")));
$("library").innerHTML = await piece("library");

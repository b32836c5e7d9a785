"use strict";
// Show an answer. Nothing of a text is read as HTML.
const byId = (id) => document.getElementById(id);
const state = byId("status"), picture = byId("picture"), found = byId("found"), all = byId("all"), lang = byId("lang");
const heads = [...document.querySelectorAll("th[data-key]")], keysOf = (some) => some.map((head) => head.dataset.key);
let answer = null;

function element(tag, content, name) {
  const made = document.createElement(tag);
  made.append(...[content].flat());
  if (name) made.className = name;
  return made;
}

const nameOf = (code) => new Intl.DisplayNames(["en"], { type: "language" }).of(code);
for (const option of lang?.options ?? []) if (option.value) option.textContent = nameOf(option.value);

// A document of its own, of which only elements are taken over.
const drawing = (svg) => document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);

function showParses(parses) {
  byId("others").hidden = !parses;
  byId("parses").replaceChildren(...(parses ?? []).map(({ probability, svg }) => {
    const scroll = element("div", drawing(svg), "scroll");
    scroll.dir = answer.direction;
    return element("div", [element("p", `${(100 * probability).toPrecision(2)} %`, "note"), scroll]);
  }));
}

function redraw({ svg, n_best }) {
  answer.svg = svg;
  picture.replaceChildren(drawing(svg));
  showParses(n_best);
}

function show(what) {
  answer = what;
  redraw(answer);
  picture.dir = answer.direction;
  byId("tree").textContent = answer.tree;
  state.textContent = lang && answer.lang !== "xx" ? `${nameOf(answer.lang)}: ${answer.summary}` : answer.summary;
  showMatches(answer.matches);
  showRows();
  for (const part of ["picture", "tree", "matches", "parses", "rows"]) byId(part).lang = answer.lang === "xx" ? "" : answer.lang;
  byId("result").hidden = false;
}

// Matches

function showMatches(matches) {
  found.hidden = !matches;
  if (!matches) return;
  const limit = Number(found.dataset.limit), n = matches.length;
  byId("count").textContent =
    n === 0 ? "No matches" : n === 1 ? "1 match" : n < limit ? `${n} matches` : `The first ${n} matches`;
  byId("matches").replaceChildren(...matches.map((match) => {
    const button = element("button", [element("span", marked(match)), element("span", names(match), "note")], "match");
    button.type = "button";
    button.dir = answer.direction;
    button.addEventListener("click", () => pointAt(match, button));
    return element("li", button);
  }));
  byId("matches").scrollTop = 0;
}

function marked(match) {
  // Offsets count characters, of which a string of JavaScript may have two for one.
  const characters = Array.from(match.sentence), depths = characters.map(() => 0), parts = [];
  for (const { spans } of Object.values(match.units))
    for (const [start, end] of spans)
      for (let i = start; i < end; i++) depths[i - match.start]++;
  for (let i = 0, end = 0; i < characters.length; i = end) {
    while (end < characters.length && depths[end] === depths[i]) end++;
    const part = characters.slice(i, end).join("");
    parts.push(depths[i] ? element("mark", part, depths[i] > 1 ? "inner" : "") : part);
  }
  return parts;
}

function names(match) {
  const units = Object.entries(match.units);
  const named = units.length > 1 ? units.filter(([name]) => name !== "unit") : units;
  return named.map(([name, unit]) => `${name}: ${unit.text || "∅"}`).join(" · ");
}

function pointAt(match, button) {
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  button.setAttribute("aria-current", "true");
  const nodes = Object.values(match.units).map(({ unit }) => picture.querySelector(`[data-unit="${unit}"]`)).filter(Boolean);
  for (const node of nodes) node.classList.add("current");
  if (nodes.length) nodes[0].scrollIntoView({ block: "center", inline: "center" });
  state.textContent = nodes.length ? answer.summary : "The picture does not reach to this match.";
}

// Predications

const chosen = () => answer.predications.filter((row) => all.checked || row.is_clause);
const worded = (part) => (part.linker ? `${part.linker} ${part.text}` : part.text ?? part); // of a Linker or condition
const plain = (value) => (Array.isArray(value) ? value.map(worded).join("; ") : String(value ?? ""));

function showRows() {
  const shown = (key, value) => (key === "negated" ? (value ? "not" : "") : plain(value)), rows = chosen();
  for (const head of heads) head.hidden = "ifAny" in head.dataset && !rows.some((row) => row[head.dataset.key].length);
  const keys = keysOf(heads.filter((head) => !head.hidden));
  byId("rows").replaceChildren(...rows.map((row) => element("tr", keys.map((key) => {
    const cell = element("td", shown(key, row[key]));
    cell.dir = "auto";
    return cell;
  }))));
  if (!rows.length) {
    const cell = element("td", all.checked ? "No Scenes." : "No clauses.", "note");
    cell.colSpan = keys.length;
    byId("rows").append(element("tr", cell));
  }
}

function csv() {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = [...keysOf(heads), "lemma"];
  const lines = [columns, ...chosen().map((row) => columns.map((key) => plain(row[key])))];
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  return "\ufeff" + lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
}

all.addEventListener("change", showRows);

// Downloads

const kinds = { svg: "image/svg+xml", xml: "application/xml", json: "application/json", csv: "text/csv" };
for (const button of document.querySelectorAll(".download"))
  button.addEventListener("click", () => {
    const what = button.dataset.what, link = document.createElement("a");
    const content = what === "csv" ? csv() : what === "json" ? JSON.stringify(answer.json) + "\n" : answer[what];
    link.href = URL.createObjectURL(new Blob([content], { type: kinds[what] }));
    link.download = "ucca." + what;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

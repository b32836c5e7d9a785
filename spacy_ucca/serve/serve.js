"use strict";
const byId = (id) => document.getElementById(id);
const text = byId("text"), go = byId("go"), message = byId("message"), state = byId("status");
const picture = byId("picture"), tree = byId("tree"), result = byId("result");
const kinds = { svg: "image/svg+xml", xml: "application/xml", json: "application/json" };
let parsed = null, busy = false;

function fail(what) {
  message.textContent = what;
  message.hidden = !what;
  if (what) state.textContent = "";
}

function show(answer) {
  parsed = answer;
  // A document of its own, of which only elements are taken over: nothing of the text is read as HTML.
  const svg = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
  picture.replaceChildren(document.importNode(svg, true));
  picture.dir = answer.direction;
  tree.textContent = answer.tree;
  state.textContent = answer.summary;
  result.hidden = false;
}

async function parse() {
  if (busy) return;
  fail("");
  busy = go.disabled = true;
  state.textContent = "Parsing…";
  try {
    const response = await fetch("parse", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: text.value }),
    });
    const answer = await response.json();
    if (answer.error) { result.hidden = true; fail(answer.error); } else show(answer);
  } catch (error) {
    result.hidden = true;
    fail("The server does not answer. Is spacy-ucca serve still running?");
  }
  busy = go.disabled = false;
}

byId("form").addEventListener("submit", (event) => { event.preventDefault(); parse(); });
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); parse(); }
});
for (const example of document.querySelectorAll(".example"))
  example.addEventListener("click", () => { text.value = example.textContent; parse(); });
for (const button of document.querySelectorAll(".download"))
  button.addEventListener("click", () => {
    const what = button.dataset.what, link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([parsed[what]], { type: kinds[what] }));
    link.download = "ucca." + what;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

// Ask the server.
const text = byId("text"), query = byId("query"), guidelines = byId("guidelines"), message = byId("message");
const buttons = [byId("go"), byId("find")], limit = Number(text.dataset.limit);
let busy = false, asked = null, resized;

// CSS pixels of the picture's box, which is as wide as the form before there is a picture
const room = () => Math.min(10000, Math.max(200, picture.clientWidth || byId("form").clientWidth - 24));

function fail(what) {
  message.textContent = what;
  message.hidden = !what;
  message.classList.toggle("lines", what.includes("\n")); // with a caret under a place
  if (what) state.textContent = "";
}

const ask = async (wanted) => (await fetch("parse", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted),
})).json();

async function parse() {
  if (busy) return;
  fail("");
  busy = true;
  for (const button of buttons) button.setAttribute("aria-disabled", "true"); // one that is disabled loses the focus
  state.textContent = "Parsing…";
  try {
    asked = { text: text.value, query: query.value, lang: lang?.value, guidelines: guidelines?.value,
      n_best: byId("best")?.checked ? Number(byId("best").value) : 1, width: room() };
    const answer = await ask(asked);
    byId("result").hidden = Boolean(answer.error);
    if (answer.error) fail(answer.error); else show(answer);
  } catch (error) {
    byId("result").hidden = true;
    fail("The server does not answer. Is spacy-ucca serve still running?");
  }
  busy = false;
  for (const button of buttons) button.removeAttribute("aria-disabled");
}

// A box of another width gets new pictures of what is shown. If they do not come, the old ones scroll.
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(async () => {
    const width = room(), before = asked;
    if (busy || byId("result").hidden || Math.abs(width - asked.width) < 16) return;
    try {
      const fresh = await ask({ ...before, width, formats: ["svg"] });
      if (fresh.error || busy || asked !== before) return;
      asked = { ...asked, width };
      redraw(fresh);
    } catch (error) { /* the server has ended */ }
  }, 400);
});

byId("best")?.addEventListener("change", () => { if (answer) parse(); });
byId("form").addEventListener("submit", (event) => { event.preventDefault(); parse(); });
byId("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); parse(); }
});
for (const example of document.querySelectorAll(".example"))
  example.addEventListener("click", () => {
    if ("query" in example.dataset) query.value = example.dataset.query; else text.value = example.textContent;
    if (text.value.trim()) parse(); else text.focus();
  });

// Text files

async function openFile(files) {
  fail("");
  if (files.length !== 1) return fail("Open one file at a time.");
  const [file] = files, long = `${file.name} has more than the ${limit} characters that are parsed at once. Open a part of it.`;
  if (file.size > 4 * limit + 3) return fail(long); // bytes of UTF-8, with its mark
  let content;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    return fail(`${file.name} cannot be read as text in UTF-8. Save it as a .txt file in UTF-8.`);
  }
  if (content.includes("\0")) return fail(`${file.name} is not a text file. Save it as a .txt file in UTF-8.`);
  if (!content.trim()) return fail(`${file.name} is empty.`);
  if (Array.from(content).length > limit) return fail(long);
  text.value = content;
  state.textContent = `${file.name} is in the box.`;
  text.focus();
}

byId("open").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", (event) => {
  openFile([...event.target.files]);
  event.target.value = ""; // so that the same file can be opened again
});
const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
for (const kind of ["dragover", "drop"]) // beside the box, the browser would leave the page for the file
  document.addEventListener(kind, (event) => { if (holdsFiles(event)) event.preventDefault(); });
text.addEventListener("drop", (event) => { if (holdsFiles(event)) openFile([...event.dataTransfer.files]); });

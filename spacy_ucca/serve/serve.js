// Ask the server.
const text = byId("text"), query = byId("query"), guidelines = byId("guidelines"), message = byId("message");
const buttons = [byId("go"), byId("find")], limit = Number(text.dataset.limit);
let busy = false;

function fail(what) {
  message.textContent = what;
  message.hidden = !what;
  message.classList.toggle("lines", what.includes("\n")); // with a caret under a place
  if (what) state.textContent = "";
}

async function parse() {
  if (busy) return;
  fail("");
  busy = true;
  for (const button of buttons) button.setAttribute("aria-disabled", "true"); // one that is disabled loses the focus
  state.textContent = "Parsing…";
  try {
    const response = await fetch("parse", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: text.value, query: query.value, lang: lang?.value, guidelines: guidelines?.value,
        n_best: byId("best")?.checked ? Number(byId("best").value) : 1 }),
    });
    const answer = await response.json();
    byId("result").hidden = Boolean(answer.error);
    if (answer.error) fail(answer.error); else show(answer);
  } catch (error) {
    byId("result").hidden = true;
    fail("The server does not answer. Is spacy-ucca serve still running?");
  }
  busy = false;
  for (const button of buttons) button.removeAttribute("aria-disabled");
}

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

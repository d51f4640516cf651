// Searches the site, closes the list of pages on narrow screens, and links to other versions.
const { root, version } = document.body.dataset;
const site = new URL(root, location.href);
const field = document.querySelector("#search");
const results = document.querySelector("#results");
let pagefind;
let last = 0;

field.addEventListener("input", search);
field.addEventListener("focus", load);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape" && !results.hidden) {
    results.hidden = true;
    field.focus();
  }
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !results.hidden) moveFocus(event);
});
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".search")) results.hidden = true;
});
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".pages details").open = false;
void offerVersions();

function load() {
  pagefind ??= loadIndex();
  return pagefind;
}

async function loadIndex() {
  const folder = new URL("search/", site).href;
  const index = await import(
    location.protocol === "file:" ? await openEmbeddedIndex(folder) : `${folder}pagefind.js`
  );
  // Pagefind waits for a response of its worker without a time limit. A site of this size needs no worker.
  await index.options({ basePath: folder, baseUrl: "/", noWorker: true });
  return index;
}

/**
 * Loads the index from a script, because a page that was opened from a file cannot read other files. Replaces `fetch`
 * with a function that returns the files of the index. Returns the URL of Pagefind's module.
 */
async function openEmbeddedIndex(folder) {
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${folder}files.js`;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error(`${script.src} cannot be loaded`)));
    document.head.append(script);
  });
  const bytesOf = (name) => Uint8Array.from(atob(searchFiles[name]), (letter) => letter.charCodeAt(0));
  const { fetch } = window;
  window.fetch = async (input, ...options) => {
    const { pathname, protocol } = new URL(input.url ?? input, location.href);
    const name = pathname.slice(new URL(folder).pathname.length);
    return protocol === "file:" && name in searchFiles
      ? new Response(bytesOf(name))
      : fetch(input, ...options);
  };
  return URL.createObjectURL(new Blob([bytesOf("pagefind.js")], { type: "text/javascript" }));
}

async function search() {
  const query = field.value.trim();
  last += 1;
  const turn = last;
  if (query === "") {
    results.hidden = true;
    return;
  }
  let found;
  try {
    const index = await load();
    const { results: all } = await index.search(query);
    found = await Promise.all(all.slice(0, 10).map((result) => result.data()));
  } catch (error) {
    console.error(error);
    pagefind = undefined;
    show("The search index cannot be loaded. Reload the page; if that does not help, build the site again.");
    return;
  }
  // A later keystroke has started another search.
  if (turn !== last) return;
  if (found.length === 0) show(`Nothing found for “${query}”`);
  else results.replaceChildren(...found.map(toLink));
  results.hidden = false;
}

function toLink({ url, meta, excerpt, sub_results: parts }) {
  const link = document.createElement("a");
  link.className = "result";
  const part = parts.find(({ anchor }) => anchor);
  link.href = new URL((part?.url ?? url).slice(1), site).href;
  const title = document.createElement("strong");
  title.textContent =
    part && part.title !== meta.title ? `${meta.title}: ${part.title.replace(/#$/, "")}` : meta.title;
  const text = document.createElement("span");
  // Pagefind escapes the page's text; the excerpt contains no other element than <mark>.
  text.innerHTML = part?.excerpt ?? excerpt;
  link.append(title, text);
  return link;
}

function show(text) {
  const line = document.createElement("p");
  line.textContent = text;
  results.replaceChildren(line);
  results.hidden = false;
}

function moveFocus(event) {
  const stops = [field, ...results.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  stops[(at + (event.key === "ArrowDown" ? 1 : stops.length - 1)) % stops.length].focus();
}

/** Replaces the version with a menu if the parent folder has several. */
async function offerVersions() {
  const list = new URL(`${root}../versions.json`, location.href);
  const versions = await fetch(list)
    .then((response) => (response.ok ? response.json() : []))
    .catch(() => []); // A page opened from a file cannot read the list.
  if (versions.length < 2) return;
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Version");
  for (const name of versions) select.add(new Option(name, name, false, name === version));
  select.addEventListener("change", () => {
    location.href = new URL(`${select.value}/index.html`, list).href;
  });
  document.querySelector("#version").replaceChildren(select);
}

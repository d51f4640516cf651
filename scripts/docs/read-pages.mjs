// Reads the Markdown files that become pages of the site, and the order of its navigation.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../bundle.mjs";

/** Files outside of docs/ to which its pages link. */
const BESIDE = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

/** Returns each page: its path in the repository, Markdown text, title and URL in the site. */
export function readPages() {
  const inDocs = readdirSync(join(root, "docs"), { recursive: true })
    .map((name) => `docs/${String(name).replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md"));
  return [...BESIDE, ...inDocs].map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, title: getTitle(text, path), url: toUrl(path) };
  });
}

/** Returns the URL of a file in the site. docs/README.md, which lists the pages, becomes the index. */
export function toUrl(path) {
  if (path === "docs/README.md") return "index.html";
  if (path === "README.md") return "docs/introduction.html";
  if (!path.endsWith(".md")) return path;
  return path.startsWith("docs/")
    ? path.replace(/\.md$/, ".html")
    : path.toLowerCase().replace(/\.md$/, ".html");
}

/**
 * Returns the sections of the navigation with their links, from the sections of docs/README.md. The API pages get a
 * separate section, and so do pages to which docs/README.md does not link.
 */
export function readNavigation(pages) {
  const text = readFileSync(join(root, "docs/README.md"), "utf8");
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf("\n")).trim(),
      links: [...part.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].map(([, title, target]) => ({
        title: title.replaceAll("`", ""),
        url: toUrl(target.startsWith("../") ? target.slice(3) : `docs/${target}`),
      })),
    }));
  const api = pages.filter(({ isApi }) => isApi).map(({ title, url }) => ({ title, url }));
  if (api.length > 0) sections.splice(3, 0, { title: "API", links: api });
  const listed = new Set(["index.html", ...sections.flatMap(({ links }) => links.map(({ url }) => url))]);
  const others = pages.filter(({ url }) => !listed.has(url)).map(({ title, url }) => ({ title, url }));
  return others.length === 0 ? sections : [...sections, { title: "More", links: others }];
}

/** Returns the second-level headings of a rendered page. */
export function listHeadings(html) {
  return [...html.matchAll(/<h2 id="([^"]+)"[^>]*>(.*?)<\/h2>/gs)].map(([, id, content]) => ({
    id,
    title: content.replace(/<a class="anchor".*?<\/a>/s, "").replace(/<[^>]+>/g, ""),
  }));
}

function getTitle(text, path) {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (!title) throw new Error(`${path} has no first-level heading. Add one: it is the title of the page`);
  return title.replaceAll("`", "");
}

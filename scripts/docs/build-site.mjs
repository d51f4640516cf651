// Builds docs/ into a static site that can be searched and read without a network: the folder <version>/ in dist/docs,
// or in the folder that --out names. Keeps other versions there and links to them in the header. Exits with 1 if a link
// is broken.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import Eleventy from "@11ty/eleventy";
import * as pagefind from "pagefind";
import { packageVersion, root } from "../bundle.mjs";
import { createApiPages } from "./api-pages.mjs";
import { findBrokenLinks } from "./find-broken-links.mjs";
import { createMarkdown } from "./markdown.mjs";
import { listHeadings, readNavigation, readPages } from "./read-pages.mjs";

/** Files to which pages link, copied to the site unchanged. */
const EXAMPLES = ["examples/proxy.config.jsonc"];

const { values } = parseArgs({
  options: { out: { type: "string" }, help: { type: "boolean", short: "h" } },
});
if (values.help) {
  process.stdout.write(
    "Usage: npm run docs -- [--out FOLDER]\n\nBuilds the documentation site. Default folder: dist/docs\n",
  );
  process.exit(0);
}

const version = packageVersion();
const out = resolve(values.out ?? join(root, "dist/docs"));
const site = join(out, version);
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

const apiPages = await createApiPages();
const pages = [...readPages(), ...apiPages];
await writePages();
for (const { file } of apiPages) {
  writeFileSync(join(site, file.url), `${JSON.stringify(file.document, undefined, 2)}\n`);
}
for (const path of EXAMPLES) cpSync(join(root, path), join(site, path));
cpSync(join(root, "docs/images"), join(site, "docs/images"), { recursive: true });
cpSync(join(import.meta.dirname, "site.css"), join(site, "site.css"));
cpSync(join(import.meta.dirname, "search.js"), join(site, "search.js"));
await writeSearchIndex();
writeForModels();
writeVersions();

const broken = findBrokenLinks(site);
for (const { page, href } of broken) process.stderr.write(`${page}: ${href} does not exist\n`);
process.stderr.write(`${pages.length} pages, ${broken.length} broken links\n`);
process.stdout.write(`${join(site, "index.html")}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

async function writePages() {
  const navigation = readNavigation(pages);
  const eleventy = new Eleventy(import.meta.dirname, site, {
    quietMode: true,
    configPath: null,
    config(config) {
      config.setUseGitIgnore(false);
      config.ignores.add("**/*.mjs");
      config.setIncludesDirectory(".");
      config.setLibrary("md", createMarkdown(pages, [...EXAMPLES, ...apiPages.map(({ file }) => file.url)]));
      config.setTemplateFormats(["md"]);
      config.addFilter("headings", listHeadings);
      config.addGlobalData("navigation", navigation);
      config.addGlobalData("version", version);
      for (const { path, text, url, title } of pages) {
        config.addTemplate(path, text, {
          layout: "page.njk",
          permalink: url,
          // Braces in examples are not template code.
          templateEngineOverride: "md",
          title,
          rootUrl: "../".repeat(url.split("/").length - 1) || "./",
          pageUrl: url,
          sourcePath: path,
        });
      }
    },
  });
  // The generator reports on stdout, which must contain only the result.
  eleventy.disableLogger();
  await eleventy.write();
}

/** Writes the search index. Throws if the index lacks a page, because a search would not find that page. */
async function writeSearchIndex() {
  const { index, errors } = await pagefind.createIndex();
  if (index === undefined) throw new Error(`The search index cannot be created: ${errors.join("; ")}`);
  const added = await index.addDirectory({ path: site });
  const written = await index.writeFiles({ outputPath: join(site, "search") });
  await pagefind.close();
  writeEmbeddedIndex(join(site, "search"));
  const problems = [...added.errors, ...written.errors];
  const { languages } = JSON.parse(readFileSync(join(site, "search/pagefind-entry.json"), "utf8"));
  const indexed = languages.en?.page_count ?? 0;
  if (indexed !== pages.length) problems.push(`it contains ${indexed} of ${pages.length} pages`);
  if (problems.length > 0) throw new Error(`The search index is incomplete: ${problems.join("; ")}`);
}

/**
 * Deletes Pagefind's own user interfaces, worker and highlighter, and writes the other files into a script, for pages
 * that are opened from a file.
 */
function writeEmbeddedIndex(folder) {
  const files = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    if (/-(?:ui|worker|highlight)\.(?:js|css)$/.test(entry.name)) rmSync(path);
    else files[relative(folder, path).replaceAll("\\", "/")] = readFileSync(path, "base64");
  }
  writeFileSync(join(folder, "files.js"), `globalThis.searchFiles = ${JSON.stringify(files)};\n`);
}

/**
 * Writes the pages as Markdown, at their paths in the repository so that the links between them work, and `llms.txt`,
 * which lists them for language models (https://llmstxt.org).
 */
function writeForModels() {
  for (const { path, text } of pages) {
    mkdirSync(join(site, path, ".."), { recursive: true });
    writeFileSync(join(site, path), text);
  }
  const paths = new Map(pages.map(({ path, url }) => [url, path]));
  const sections = readNavigation(pages).map(({ title, links }) => {
    const lines = links.map((link) => `- [${link.title}](${paths.get(link.url)})`);
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(site, "llms.txt"), `# Sallyport\n\n> ${description}\n\n${sections.join("\n\n")}\n`);
}

/** Writes the list of versions in the folder, newest first, and a page that opens the newest. */
function writeVersions() {
  const versions = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
    .map(({ name }) => name)
    .sort((one, other) => other.localeCompare(one, "en", { numeric: true }));
  writeFileSync(join(out, "versions.json"), `${JSON.stringify(versions)}\n`);
  const page = readFileSync(join(import.meta.dirname, "newest.html"), "utf8");
  writeFileSync(join(out, "index.html"), page.replaceAll("VERSION", versions[0] ?? version));
}

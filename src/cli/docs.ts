import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { findClosest } from "../config/suggest.ts";
import { AppError } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";
import type { Output } from "./output.ts";
import { table } from "./table.ts";

export interface DocsFlags {
  readonly json: boolean;
}

/** Pages by name. A name is the path below docs/ without `.md`. */
type Pages = Readonly<Record<string, string>>;

/**
 * Prints a page of this version's documentation as Markdown, or the list of pages. Resolves to the exit code. Throws
 * `usage` for an unknown or ambiguous name, and `unreadable` if the pages cannot be read.
 */
export async function docs(
  name: string | undefined,
  { json }: DocsFlags,
  output: Output,
  folder = import.meta.dirname,
): Promise<number> {
  const pages: Pages = isSea() ? readAsset() : await pagesBeside(folder);
  if (name === undefined) {
    const list = Object.entries(pages).map(([page, text]) => ({ page, title: titleOf(text) ?? page }));
    const rows = list.map(({ page, title }) => [page, title]);
    await output.result(json ? JSON.stringify({ pages: list }, null, 2) : table(["page", "title"], rows));
    return 0;
  }
  const page = findPage(name, Object.keys(pages));
  const text = pages[page] ?? "";
  await output.result(json ? JSON.stringify({ page, title: titleOf(text) ?? page, text }, null, 2) : text);
  return 0;
}

/** Returns the names of the pages of this version's documentation. Throws if their folder cannot be read. */
export async function listPages(folder = import.meta.dirname): Promise<readonly string[]> {
  return isSea() ? Object.keys(readAsset()) : namesIn(docsFolder(folder));
}

const readAsset = (): Pages => JSON.parse(getAsset("docs.json", "utf8"));

/** Returns the folder of the pages. `folder` is that of this module: `dist/parts` or, in a source tree, `src/cli`. */
const docsFolder = (folder: string): string => join(folder, "../../docs");

async function namesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".md"));
  return files.map((file) => file.replaceAll("\\", "/").slice(0, -".md".length)).sort();
}

/**
 * Returns the page with this name. `.md`, `docs/` and the folder may be left out. Throws `usage` if no page or several
 * pages match.
 */
function findPage(name: string, pages: readonly string[]): string {
  const wanted = name.replace(/^(?:\.\/)?(?:docs\/)?/, "").replace(/\.md$/, "");
  const found = pages.filter((page) => page === wanted || page.endsWith(`/${wanted}`));
  const exact = found.find((page) => page === wanted) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  const lastParts = pages.flatMap((page) => [page, page.slice(page.lastIndexOf("/") + 1)]);
  const closest = findClosest(wanted, lastParts);
  const problem =
    found.length > 1 ? `${found.join(" and ")} end in "${wanted}"` : `there is no page "${wanted}"`;
  throw new AppError("usage", `docs: ${problem}`, {
    hint:
      closest !== undefined && found.length === 0
        ? `Did you mean "${closest}"? To list all pages: sallyport docs`
        : "To list all pages: sallyport docs",
  });
}

const titleOf = (text: string): string | undefined => /^# (.+)$/m.exec(text)?.[1];

/** Reads the pages of the package. `folder` is that of this module. */
async function pagesBeside(folder: string): Promise<Pages> {
  const pages = docsFolder(folder);
  try {
    const names = await namesIn(pages);
    const entries = names.map(async (name) => [name, await readFile(join(pages, `${name}.md`), "utf8")]);
    return Object.fromEntries(await Promise.all(entries));
  } catch (cause) {
    throw new AppError("unreadable", `Cannot read ${pages}: ${getReadReason(cause)}`, {
      cause,
      hint: "Install Sallyport again.",
    });
  }
}

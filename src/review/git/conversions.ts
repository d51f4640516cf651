import { lstat, readFile } from "node:fs/promises";
import { MAX_COMPARED_BYTES, type ScopedSettings } from "./hardening.ts";
import { joinWithNul } from "./nul-list.ts";
import { quoteName } from "./quoted-name.ts";
import { type GitHandle, runGit, tryGit } from "./run-git.ts";

/**
 * Attributes under which git compares files byte for byte. In `info/attributes`, they take precedence over
 * every `.gitattributes`: a conversion can map two different files to one text and so hide a change.
 */
export const AS_ON_DISK = "* -text -crlf -eol -ident -filter -working-tree-encoding\n";

const ATTRIBUTES = ["text", "eol", "crlf", "filter", "ident", "working-tree-encoding"] as const;
type Values = Readonly<Record<(typeof ATTRIBUTES)[number], string>>;

/**
 * Number of characters from which lines of an attributes file are left out, because git ignores lines of 2,048 bytes or
 * more.
 */
const MAX_LINE_CHARS = 2_000;

/** A file on disk and the object it is compared with, if any. */
export interface ComparedFile {
  readonly path: Buffer;
  readonly object?: string;
}

/**
 * Returns the lines that follow `AS_ON_DISK` in `info/attributes`. They let git convert files if that cannot hide a
 * change: files with a filter from the user's own configuration, and files whose line endings are all as a checkout
 * writes them. `pristine` has the paths of files with an `ident` or encoding conversion that are byte for byte what a
 * checkout writes; they need no comparison. `filteredBytes` is the total size of the files that filters read.
 */
export async function findConversions(
  git: GitHandle,
  files: readonly ComparedFile[],
): Promise<{ readonly lines: string; readonly pristine: readonly Buffer[]; readonly filteredBytes: number }> {
  const settings = git.settings ?? { user: new Map(), repository: new Map() };
  const values = await readAttributes(git, files);
  const lines: string[] = [];
  const pristine: Buffer[] = [];
  let filteredBytes = 0;
  for (const [index, file] of files.entries()) {
    const attributes = values[index];
    if (!attributes) continue;
    const line = await readConversion(git, file.path, attributes, settings);
    if (line !== undefined) lines.push(`${pattern(file.path)} ${line}\n`);
    else if (await isPristine(git, file, attributes)) pristine.push(file.path);
    if (line?.startsWith("filter="))
      filteredBytes += (await lstat(fileIn(git, file.path)).catch(() => undefined))?.size ?? 0;
  }
  return { lines: lines.filter((line) => line.length < MAX_LINE_CHARS).join(""), pristine, filteredBytes };
}

async function readAttributes(git: GitHandle, files: readonly ComparedFile[]): Promise<Values[]> {
  if (files.length === 0) return [];
  const input = joinWithNul(files.map(({ path }) => path));
  const output = await runGit(git, ["check-attr", "-z", "--stdin", ...ATTRIBUTES], { input });
  // path NUL attribute NUL value NUL, one triple for each path and name
  const fields = output.toString("latin1").split("\0");
  return files.map((_file, index) => {
    const attributeAt = (offset: number) =>
      fields[(index * ATTRIBUTES.length + offset) * 3 + 2] ?? "unspecified";
    const [text, eol, crlf, filter, ident, encoding] = ATTRIBUTES.map((_name, offset) => attributeAt(offset));
    const none = "unspecified";
    return {
      text: text ?? none,
      eol: eol ?? none,
      crlf: crlf ?? none,
      filter: filter ?? none,
      ident: ident ?? none,
      "working-tree-encoding": encoding ?? none,
    };
  });
}

async function readConversion(
  git: GitHandle,
  path: Buffer,
  attributes: Values,
  { user }: ScopedSettings,
): Promise<string | undefined> {
  const { filter } = attributes;
  if (user.has(`filter.${filter}.clean`) || user.has(`filter.${filter}.process`)) return `filter=${filter}`;
  if (!writesCarriageReturns(attributes, user)) return undefined;
  return (await hasOnlyCrlf(fileIn(git, path))) ? "text eol=crlf" : undefined;
}

/**
 * Reports whether a checkout ends lines with CR LF under these attributes and settings. Source:
 * https://git-scm.com/docs/gitattributes, `text` and `eol`.
 */
function writesCarriageReturns(
  { text: own, crlf, eol }: Pick<Values, "text" | "crlf" | "eol">,
  user: ReadonlyMap<string, string>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const text = own === "unspecified" ? crlf : own;
  if (text === "unset" || text === "input" || eol === "lf") return false;
  const autocrlf = user.get("core.autocrlf")?.toLowerCase() ?? "false";
  const isAutomatic = ["true", "yes", "on", "1", ""].includes(autocrlf);
  if (eol === "crlf") return true;
  if (text === "unspecified") return isAutomatic;
  if (isAutomatic || autocrlf === "input") return isAutomatic;
  const native = platform === "win32" ? "crlf" : "lf";
  const wanted = user.get("core.eol")?.toLowerCase() ?? "native";
  return (wanted === "native" ? native : wanted) === "crlf";
}

async function hasOnlyCrlf(path: Buffer): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > MAX_COMPARED_BYTES) return false;
  const text = (await readFile(path)).toString("latin1");
  return text.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(text);
}

/** Reports whether a file with an `ident` or encoding conversion is byte for byte what a checkout writes. */
async function isPristine(
  git: GitHandle,
  { path, object }: ComparedFile,
  attributes: Values,
): Promise<boolean> {
  const converts = (value: string) => value !== "unspecified" && value !== "unset";
  if (!object || !(converts(attributes.ident) || converts(attributes["working-tree-encoding"]))) return false;
  const found = await lstat(fileIn(git, path)).catch(() => undefined);
  if (!found?.isFile() || found.size > MAX_COMPARED_BYTES) return false;
  const name = path.toString();
  if (!Buffer.from(name).equals(path)) return false;
  const written = await tryGit(git, ["cat-file", "--filters", `--path=${name}`, object]);
  return written.exitCode === 0 && written.stdout.equals(await readFile(fileIn(git, path)));
}

function fileIn(git: GitHandle, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${git.directory}/`), path]);
}

/** Returns a quoted pattern that matches only this path: anchored at the top, with special characters escaped. */
function pattern(path: Buffer): string {
  const literal = Buffer.from(path.toString("latin1").replaceAll(/[\\*?[]/g, "\\$&"), "latin1");
  const quoted = quoteName(Buffer.concat([Buffer.from("/"), literal]));
  return quoted.startsWith('"') ? quoted : `"${quoted}"`;
}

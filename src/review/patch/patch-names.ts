import { quoteName, unquoteName } from "../git/quoted-name.ts";

/** The lines of a patch that name its file. Each byte is one character. */
interface NamedFile {
  /** The line `diff --git …`; empty for a diff of another program. */
  readonly first: string;
  /** Extended header lines. */
  readonly header: readonly string[];
  readonly body: readonly string[];
  /** The rest of the lines `---` and `+++`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The names of a file. */
export interface PatchNames {
  /** The names without prefixes and quotes. */
  readonly path: string;
  readonly oldPath: string;
  /** The names with the prefixes `a/` and `b/`, quoted as git does, or /dev/null. */
  readonly oldLabel: string;
  readonly newLabel: string;
}

const NOTHING = "/dev/null";

/** Returns the names of a file from the most reliable of its header lines. */
export function readNames(file: NamedFile): PatchNames {
  const renamed = (word: string) => {
    const line = file.header.find((each) => new RegExp(`^(rename|copy) ${word} `).test(each));
    return line && unquoted(line.replace(/^\w+ \w+ /, ""));
  };
  const [from, to] = [renamed("from"), renamed("to")];
  if (from !== undefined && to !== undefined) return labeled(from, to, false, false);
  const [oldName, newName] =
    file.from === undefined ? splitFirst(file.first) : [bare(file.from), bare(file.to ?? "")];
  const { isAdded, isDeleted } = presence(file, oldName, newName);
  const [oldPath, newPath] = withoutPrefixes(oldName, newName, file.first);
  const path = newName === NOTHING || newName === "" ? oldPath : newPath;
  return labeled(path, path, isAdded, isDeleted);
}

/** Returns the header of a file as git writes it, up to the first hunk. */
export function formatHeader(file: NamedFile, names: PatchNames): string[] {
  const { isAdded, isDeleted } = presence(file, bare(file.from ?? ""), bare(file.to ?? ""));
  const isKnown = file.header.some((line) => /^(new|deleted) file mode /.test(line));
  const added = isAdded && !isKnown ? ["new file mode 100644"] : [];
  const deleted = isDeleted && !isKnown ? ["deleted file mode 100644"] : [];
  const labels =
    file.body.length > 0 ? [`--- ${padded(names.oldLabel)}`, `+++ ${padded(names.newLabel)}`] : [];
  const [oldName, newName] = [`a/${names.oldPath}`, `b/${names.path}`].map(quoted);
  return [`diff --git ${oldName} ${newName}`, ...added, ...deleted, ...file.header, ...labels];
}

/** Returns a name with a tab after it if it contains a space, as git writes it. */
function padded(label: string): string {
  return label.includes(" ") ? `${label}\t` : label;
}

function labeled(oldPath: string, path: string, isAdded: boolean, isDeleted: boolean): PatchNames {
  return {
    path,
    oldPath,
    oldLabel: isAdded ? NOTHING : quoted(`a/${oldPath}`),
    newLabel: isDeleted ? NOTHING : quoted(`b/${path}`),
  };
}

/** Reports which sides of the file are missing, judged by the header, the names, or the only hunk. */
function presence({ header, body }: NamedFile, oldName: string, newName: string) {
  const hunks = body.filter((line) => line.startsWith("@@ "));
  const only = hunks.length === 1 ? (hunks[0] ?? "") : "";
  const has = (start: string) => header.some((line) => line.startsWith(start));
  const isPlain = header.length === 0;
  return {
    isAdded: has("new file mode ") || oldName === NOTHING || (isPlain && only.startsWith("@@ -0,0 ")),
    isDeleted: has("deleted file mode ") || newName === NOTHING || (isPlain && / \+0,0 @@/.test(only)),
  };
}

/** Removes quotes, or the text after a tab, where GNU diff writes a time. */
function bare(name: string): string {
  const [quotedName] = /^"(?:[^"\\]|\\.)*"/.exec(name) ?? [];
  return quotedName === undefined ? (name.split("\t")[0] ?? "").trimEnd() : unquoted(quotedName);
}

/**
 * Splits the names of a line `diff --git a/NAME b/NAME`: between quoted names, where both halves name the same file, or
 * otherwise at the first space.
 */
function splitFirst(line: string): [string, string] {
  const names = line.slice("diff --git ".length);
  const quotedPair = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(names);
  if (quotedPair && names.includes('"'))
    return [unquoted(quotedPair[1] ?? ""), unquoted(quotedPair[2] ?? "")];
  for (let at = names.indexOf(" "); at >= 0; at = names.indexOf(" ", at + 1)) {
    const [left, right] = [names.slice(0, at), names.slice(at + 1)];
    const rest = afterFirst(left);
    if (left === right || (rest !== undefined && rest === afterFirst(right))) return [left, right];
  }
  const middle = names.indexOf(" ");
  return [names.slice(0, middle), names.slice(middle + 1)];
}

function afterFirst(name: string): string | undefined {
  const at = name.indexOf("/");
  return at < 0 ? undefined : name.slice(at + 1);
}

/** Prefixes that git writes: `a/` and `b/`, or others with diff.mnemonicPrefix. */
const GIT_PREFIX = /^[abciwo12]\//;

/** Removes the prefixes of both names, unless the patch has none. */
function withoutPrefixes(oldName: string, newName: string, first: string): [string, string] {
  const [left, right] = first === "" ? [oldName, newName] : splitFirst(first);
  const known = [oldName, newName].filter((name) => name !== NOTHING && name !== "");
  // Git's own prefixes (`a/`, `b/`) differ between the sides, so equal names have none.
  if (left === right) return [relative(oldName), relative(newName)];
  if (known.every((name) => GIT_PREFIX.test(name))) return [strip(oldName), strip(newName)];
  const [one = "", other = one] = known;
  const haveSameRest = known.length === 2 && one !== other && afterFirst(one) === afterFirst(other);
  return haveSameRest && afterFirst(one) !== undefined
    ? [strip(oldName), strip(newName)]
    : [relative(oldName), relative(newName)];
}

function strip(name: string): string {
  return name === NOTHING ? name : (afterFirst(name) ?? name);
}

function relative(name: string): string {
  return name === NOTHING ? name : name.replace(/^(\.?\/)+/, "");
}

function unquoted(name: string): string {
  if (!name.startsWith('"')) return name;
  return Buffer.from(unquoteName(Buffer.from(name, "latin1").toString())).toString("latin1");
}

/** Quotes a name if it contains a quote, backslash or control character. */
function quoted(name: string): string {
  return /["\\\x00-\x1f\x7f]/.test(name) ? quoteName(Buffer.from(name, "latin1")) : name;
}

import { AppError } from "../../errors.ts";
import { splitMessage } from "../git/commits.ts";
import { quoteName, unquoteName } from "../git/quoted-name.ts";
import { formatHeader, readNames } from "./patch-names.ts";

/** One file's patch in the form of git. */
export interface FilePatch {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isAdded: boolean;
  readonly isDeleted: boolean;
}

/** The patches of one commit, or consecutive patches of different files without a commit. */
export interface PatchPart {
  /** The commit, if a mail header of `git format-patch` precedes the part. */
  readonly commit?: MailedCommit | undefined;
  readonly files: readonly FilePatch[];
}

export interface MailedCommit {
  readonly sha: string;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly at: string;
}

/** The first line of a mail of `git format-patch`, which always has this date. */
const MAIL = /^From ([0-9a-f]{40,64}) Mon Sep 17 00:00:00 2001\r?$/;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** Extended header lines of git (https://git-scm.com/docs/diff-format). */
const EXTENDED =
  /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index) /;
const NO_NEWLINE = "\\ No newline at end of file";

/**
 * Parses a unified diff (GNU diff, git, Mercurial, jj, Sapling, Subversion, `git format-patch`) and returns it in git's
 * format. Skips text around the files. A file that appears again begins another part. Throws `input` for an incomplete
 * or invalid hunk, and for the combined diff of a merge.
 */
export function readPatchSeries(bytes: Buffer, name: string): readonly PatchPart[] {
  // Decoded as latin1, one character for each byte, because files of a patch can have different encodings.
  return new Reader(bytes.toString("latin1").split("\n"), name).read();
}

interface OpenFile {
  readonly first: string;
  readonly header: string[];
  readonly body: string[];
  from?: string | undefined;
  to?: string | undefined;
  isBinary: boolean;
  readonly isGit: boolean;
}

class Reader {
  private readonly lines: readonly string[];
  private readonly name: string;
  private readonly parts: { commit?: MailedCommit | undefined; files: FilePatch[] }[] = [{ files: [] }];
  private file: OpenFile | undefined;
  private at = 0;

  constructor(lines: readonly string[], name: string) {
    this.lines = lines;
    this.name = name;
  }

  read(): PatchPart[] {
    while (this.at < this.lines.length) this.readLine();
    this.endFile();
    return this.parts.filter(({ files }) => files.length > 0);
  }

  private readLine(): void {
    const line = this.line(this.at);
    const mail = MAIL.exec(line);
    if (/^diff --(cc|combined) /.test(line))
      throw this.failure("is the combined diff of a merge", MERGE_HINT);
    if (mail) this.readMail(mail[1] ?? "");
    else if (line.startsWith("diff --git ")) this.openFile(line, true);
    else if (this.isNameLine()) this.readNameLines();
    else if (HUNK.test(line) && this.file) this.readHunk(line);
    else {
      if (this.file?.isGit && this.file.body.length === 0) this.readHeaderLine(line);
      this.at += 1;
    }
  }

  /** Returns a line without the carriage return of a patch with CR LF line endings. */
  private line(at: number): string {
    return (this.lines[at] ?? "").replace(/\r$/, "");
  }

  private openFile(first: string, isGit: boolean): void {
    this.endFile();
    this.file = { first, header: [], body: [], isBinary: false, isGit };
    this.at += isGit ? 1 : 0;
  }

  private readHeaderLine(line: string): void {
    const { file } = this;
    if (!file) return;
    if (EXTENDED.test(line)) file.header.push(line);
    if (line === "GIT binary patch" || /^Binary files .* differ$/.test(line)) file.isBinary = true;
  }

  private isNameLine(): boolean {
    return (
      this.line(this.at).startsWith("--- ") &&
      this.line(this.at + 1).startsWith("+++ ") &&
      HUNK.test(this.line(this.at + 2))
    );
  }

  private readNameLines(): void {
    const isOfOpen = this.file?.isGit && this.file.from === undefined && this.file.body.length === 0;
    if (!isOfOpen) this.openFile("", false);
    if (!this.file) return;
    this.file.from = this.line(this.at).slice(4);
    this.file.to = this.line(this.at + 1).slice(4);
    this.at += 2;
  }

  /**
   * Reads a hunk. The counts in its header determine where it ends, because text after the hunk can also begin with a
   * plus or minus sign.
   */
  private readHunk(header: string): void {
    const [, , oldCount = "1", , newCount = "1"] = HUNK.exec(header) ?? [];
    let [old, added] = [Number(oldCount), Number(newCount)];
    const hunk = this.file?.body ?? [];
    hunk.push(header);
    const start = this.at;
    this.at += 1;
    while (old > 0 || added > 0 || this.lines[this.at]?.startsWith("\\")) {
      const line = this.lines[this.at];
      const isCut = line === undefined || (line === "" && this.at === this.lines.length - 1);
      if (isCut) throw this.failure(`ends inside the hunk of line ${start + 1}`);
      const sign = line[0] ?? " ";
      if (sign === "\\") hunk.push(NO_NEWLINE);
      else {
        if (sign === "-") old -= 1;
        else if (sign === "+") added -= 1;
        else if (sign === " " || line === "\r") [old, added] = [old - 1, added - 1];
        if (!/[-+ \r]/.test(sign) || old < 0 || added < 0)
          throw this.failure(
            `has an invalid hunk at line ${start + 1}: line ${this.at + 1} does not fit its counts`,
          );
        // Mail programs remove the space in front of an empty context line.
        hunk.push(line === "" || line === "\r" ? ` ${line}` : line);
      }
      this.at += 1;
    }
  }

  private endFile(): void {
    const { file } = this;
    this.file = undefined;
    if (!file || (file.header.length === 0 && file.body.length === 0 && !file.isBinary)) return;
    const names = readNames(file);
    const header = formatHeader(file, names);
    const binary = file.isBinary ? [`Binary files ${names.oldLabel} and ${names.newLabel} differ`] : [];
    const text = [...header, ...file.body, ...binary, ""].join("\n");
    const toPath = (raw: string) => unquoteName(quoteName(Buffer.from(raw, "latin1")));
    const has = (start: string) => header.some((line) => line.startsWith(start));
    const patch: FilePatch = {
      path: toPath(names.path),
      bytes: Buffer.from(text, "latin1"),
      isAdded: has("new file mode "),
      isDeleted: has("deleted file mode "),
    };
    const earlier = this.parts.at(-1)?.files.filter(({ path }) => path === patch.path) ?? [];
    // A file that became a link is two patches: a removal and an addition.
    const isTypeChange = earlier.length === 1 && earlier[0]?.isDeleted && patch.isAdded;
    if (earlier.length > 0 && !isTypeChange) this.parts.push({ files: [] });
    this.parts.at(-1)?.files.push(patch);
  }

  private readMail(sha: string): void {
    this.endFile();
    const start = this.at + 1;
    let end = start;
    while (end < this.lines.length && !this.line(end).startsWith("diff --git ") && !MAIL.test(this.line(end)))
      end += 1;
    const text = Buffer.from(this.lines.slice(start, end).join("\n"), "latin1").toString();
    const commit = { sha, ...parseMail(text.replaceAll("\r\n", "\n")) };
    this.parts.push({ commit, files: [] });
    this.at = end;
  }

  private failure(problem: string, hint = "Create the patch again: it may be cut off or edited."): AppError {
    return new AppError("input", `${this.name} ${problem}`, { hint });
  }
}

const MERGE_HINT = "Compare two commits instead, for example: git diff MERGE^1 MERGE";

/** Parses the header and the message of a mail, up to the line `---`. */
function parseMail(text: string): Omit<MailedCommit, "sha"> {
  const [head = "", ...rest] = text.split("\n\n");
  const message = (rest.join("\n\n").split(/^---$/m)[0] ?? "").trim();
  const fields = head.replace(/\n[ \t]+/g, " ");
  const field = (name: string) => decodeHeader(new RegExp(`^${name}: (.*)$`, "im").exec(fields)?.[1] ?? "");
  const date = new Date(field("Date"));
  const subject = field("Subject").replace(/^(\[[^\]]*\]\s*)+/, "");
  return {
    ...splitMessage(message === "" ? subject : `${subject}\n\n${message}`),
    author: field("From")
      .replace(/\s*<[^>]*>$/, "")
      .replace(/^"(.*)"$/, "$1"),
    at: Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString(),
  };
}

/** Decodes the encoded words in UTF-8 (RFC 2047) that git writes. */
function decodeHeader(text: string): string {
  return text
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_word, kind: string, content: string) => {
      if (kind.toLowerCase() === "b") return Buffer.from(content, "base64").toString();
      const bytes = content
        .replaceAll("_", " ")
        .replace(/=([0-9a-f]{2})/gi, (_byte, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString();
    });
}

import { stripVTControlCharacters } from "node:util";
import type { NotebookCell, NotebookLine, NotebookOutput, NotebookValue } from "../notebook-api-types.ts";
import { type JsonLines, locateValues } from "./json-lines.ts";
import {
  type NotebookText,
  notebookSchema,
  type StoredCell,
  type StoredNotebook,
  type StoredOutput,
  storedText,
  versionSchema,
} from "./nbformat.ts";

/** Maximum UTF-16 units of a notebook that is shown by cells. */
export const MAX_LENGTH = 32 * 1024 * 1024;
/** Maximum UTF-16 units of a line of an output, and of a value of the metadata. */
const MAX_LINE = 10_000;
/** Maximum levels of metadata whose members are listed one by one. */
const MAX_NAMES = 4;

/** An output with the members that only the server needs. */
export interface ParsedOutput extends NotebookOutput {
  /** The image in base64, or an SVG as text; empty without an image. */
  readonly data: string;
  /** The other forms of the same output, to find out whether they differ. */
  readonly rest: string;
}

export interface ParsedCell extends NotebookCell {
  readonly outputs: readonly ParsedOutput[];
  /** The highlighter's name for the language of the source. */
  readonly language: string;
}

export interface ParsedNotebook {
  readonly language: string;
  readonly cells: readonly ParsedCell[];
  readonly metadata: readonly NotebookValue[];
}

/** A notebook, or the reason why it cannot be read by cells. */
export type NotebookResult = { readonly notebook: ParsedNotebook } | { readonly problem: string };

/** Parses a notebook, and finds the line of the file that contains each line of its cells. */
export function parseNotebook(text: string): NotebookResult {
  if (text.length > MAX_LENGTH) return { problem: `larger than ${MAX_LENGTH / 1024 / 1024} MiB` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "not valid JSON" };
  }
  const parsed = notebookSchema.safeParse(value);
  if (!parsed.success) {
    const version = versionSchema.safeParse(value).data?.nbformat;
    return {
      problem: version === undefined || version === 4 ? "not a valid notebook" : `nbformat ${version}`,
    };
  }
  try {
    return { notebook: toNotebook(parsed.data, locateValues(text)) };
  } catch (error) {
    // Metadata or JSON of an output may be nested too deeply for `JSON.stringify`.
    if (error instanceof RangeError) return { problem: "nested too deeply" };
    throw error;
  }
}

function toNotebook({ cells, metadata }: StoredNotebook, lines: JsonLines): ParsedNotebook {
  const language = findLanguage(metadata);
  const cellLines = lines.members?.get("cells")?.items ?? [];
  return {
    language,
    metadata: listValues(metadata, lines.members?.get("metadata")),
    cells: cells.map((cell, index) => toCell(cell, index + 1, cellLines[index] ?? lines, language)),
  };
}

function toCell(cell: StoredCell, number: number, lines: JsonLines, language: string): ParsedCell {
  const at = (name: string) => lines.members?.get(name) ?? lines;
  const source = toLines(cell.source, at("source"));
  return {
    number,
    ...(cell.id === undefined ? {} : { id: cell.id }),
    kind: cell.cell_type,
    executionCount: cell.execution_count,
    line: lines.line,
    endLine: lines.endLine,
    source,
    outputs: cell.outputs.map((output, index) =>
      toOutput(output, lines.members?.get("outputs")?.items?.[index] ?? lines),
    ),
    metadata: [
      ...listValues(cell.metadata, lines.members?.get("metadata")),
      ...listValues(cell.attachments ?? {}, lines.members?.get("attachments"), "attachments."),
    ],
    language: languageOf(cell, source[0]?.text ?? "", language),
  };
}

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];
/** The texts that an output may have, the preferred one first. */
const TEXTS = ["text/plain", "text/markdown", "text/latex", "text/html", "application/json"];

function toOutput(output: StoredOutput, lines: JsonLines): ParsedOutput {
  const at = (name: string) => lines.members?.get(name) ?? lines;
  switch (output.output_type) {
    case "stream":
      return textOutput(output.name, toLines(output.text, at("text")));
    case "error": {
      const traceback = output.traceback.map((line) => `${line}\n`);
      const texts = traceback.length > 0 ? traceback : [`${output.ename}: ${output.evalue}`];
      return textOutput("error", toLines(texts, at("traceback")));
    }
    default:
      return toRichOutput(output.data, at("data"));
  }
}

function textOutput(label: string, lines: readonly NotebookLine[]): ParsedOutput {
  return { label, lines: lines.map(toPlainLine), data: "", rest: "" };
}

/** Chooses the forms that are shown: an image, if there is one, and the plainest text. */
function toRichOutput(data: Readonly<Record<string, unknown>>, lines: JsonLines): ParsedOutput {
  const types = Object.keys(data);
  const image = IMAGES.find((type) => types.includes(type));
  const type = TEXTS.find((each) => types.includes(each)) ?? types.find((each) => each !== image);
  const shown = type === undefined ? "" : toText(data[type]);
  const at = (type === undefined ? undefined : lines.members?.get(type)) ?? lines;
  const others = types.filter((each) => each !== image && each !== type).sort();
  return {
    label: image ?? type ?? "output",
    lines: toLines(shown, at).map(toPlainLine),
    ...(image === undefined ? {} : { image }),
    data: image === undefined ? "" : joined(toText(data[image])),
    rest: JSON.stringify(others.map((each) => [each, data[each]])),
  };
}

function toText(value: unknown): NotebookText {
  const text = storedText.safeParse(value);
  return text.success ? text.data : (JSON.stringify(value, null, 1) ?? "");
}

function joined(text: NotebookText): string {
  return typeof text === "string" ? text : text.join("");
}

/** Splits a text into lines, and finds the line of the file in which each one begins. */
function toLines(text: NotebookText, at: JsonLines): NotebookLine[] {
  const found: NotebookLine[] = [];
  let open: NotebookLine | undefined;
  const pieces = typeof text === "string" ? [text] : text;
  for (const [index, piece] of pieces.entries()) {
    const line = at.items?.[index]?.line ?? at.line;
    const parts = piece.split("\n");
    for (const [step, part] of parts.entries()) {
      const isLast = step === parts.length - 1;
      if (isLast && part === "") continue;
      const whole: NotebookLine = open ? { ...open, text: open.text + part } : { text: part, line };
      open = isLast ? whole : undefined;
      if (!isLast) found.push(whole);
    }
  }
  return open ? [...found, open] : found;
}

/** Removes ANSI codes and text that a progress bar has overwritten, and shortens the line to `MAX_LINE`. */
function toPlainLine({ text, line }: NotebookLine): NotebookLine {
  const last = text.replace(/\r+$/, "");
  return { text: shortened(stripVTControlCharacters(last.slice(last.lastIndexOf("\r") + 1))), line };
}

function shortened(text: string): string {
  if (text.length <= MAX_LINE) return text;
  return `${text.slice(0, MAX_LINE)} … ${text.length - MAX_LINE} more characters`;
}

/** Lists the values of an object. Values of nested objects have names with dots. */
function listValues(
  values: Readonly<Record<string, unknown>>,
  lines: JsonLines | undefined,
  prefix = "",
  depth = 1,
): NotebookValue[] {
  return Object.entries(values).flatMap(([key, value]): NotebookValue[] => {
    const at = lines?.members?.get(key);
    const name = `${prefix}${key}`;
    if (isObject(value) && Object.keys(value).length > 0 && depth < MAX_NAMES)
      return listValues(value, at, `${name}.`, depth + 1);
    const text = `${name}: ${shortened(JSON.stringify(value) ?? "")}`;
    return [{ name, text, line: at?.line ?? lines?.line ?? 1 }];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the language that the metadata names, in lowercase; `python` if it names none. */
function findLanguage(metadata: Readonly<Record<string, unknown>>): string {
  const { kernelspec, language_info: info } = metadata;
  const named = [isObject(kernelspec) && kernelspec["language"], isObject(info) && info["name"]];
  const language = named.find((name) => typeof name === "string" && name !== "");
  return typeof language === "string" ? language.toLowerCase() : "python";
}

/** Names of languages for which the highlighter has other names. */
const LANGUAGES = new Map(
  Object.entries({ ipython: "python", sh: "bash", js: "javascript", "c++": "cpp", "c#": "csharp" }),
);
const MAGICS = new Set([
  "bash",
  "sh",
  "html",
  "javascript",
  "js",
  "latex",
  "perl",
  "ruby",
  "sql",
  "svg",
  "r",
]);

/**
 * Returns the language of a cell: a first line such as `%%bash` or the cell's metadata can name a language
 * other than the kernel's.
 */
function languageOf({ cell_type, metadata }: StoredCell, first: string, language: string): string {
  if (cell_type !== "code") return cell_type === "markdown" ? "markdown" : "text";
  const magic = /^%%(\w+)/.exec(first)?.[1]?.toLowerCase();
  const { vscode } = metadata;
  const marked = isObject(vscode) ? vscode["languageId"] : undefined;
  const name =
    magic !== undefined && MAGICS.has(magic) ? magic : typeof marked === "string" ? marked : language;
  return LANGUAGES.get(name) ?? name;
}

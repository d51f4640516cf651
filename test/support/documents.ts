import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** The paths of all documents, relative to the root. */
export const documents: readonly string[] = [
  ...readdirSync(root),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((path) => join("docs", path)),
].filter((path) => path.endsWith(".md"));

export const read = (path: string): string => readFileSync(join(root, path), "utf8");

export interface CodeBlock {
  readonly document: string;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of code in a document. */
export function codeBlocks(document: string): CodeBlock[] {
  return [...read(document).matchAll(/^(`{3,})([^\n]*)\n([\s\S]*?)^\1/gm)].map(
    ([, , language = "", text = ""]) => ({ document, language: language.trim(), text }),
  );
}

/** A document without its code, in which brackets are not links. */
export const prose = (document: string): string =>
  read(document)
    .replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1/gm, "")
    .replace(/`[^`\n]*`/g, "``");

/** Returns the inline code, outside of code blocks. */
export const inlineCode = (document: string): string[] =>
  [
    ...read(document)
      .replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1/gm, "")
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, text = ""]) => text);

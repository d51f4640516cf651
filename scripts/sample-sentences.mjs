// Prints sentences drawn at random from comments, documentation, messages and page texts, for review by a reader.
//   node scripts/sample-sentences.mjs [--count 40] [--seed 1] [--kind comment|docs|message|page] [PATH...]
// The same seed draws the same sentences from the same files.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "rolldown/utils";

const root = resolve(import.meta.dirname, "..");
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    kind: { type: "string" },
  },
});
const paths =
  positionals.length > 0 ? positionals : ["src", "web", "extensions", "scripts", "docs", "examples", "*.md"];
const sentences = listFiles(paths)
  .flatMap((path) => (path.endsWith(".md") ? documentSentences(path) : codeSentences(path)))
  .filter(({ kind }) => flags.kind === undefined || kind === flags.kind);
for (const { path, line, kind, text } of draw(sentences, Number(flags.count), Number(flags.seed)))
  console.log(`${path}:${line} [${kind}] ${text}`);

/** Returns at most `count` different items in random order. */
function draw(items, count, seed) {
  const rest = [...items];
  const random = randomNumbers(seed);
  const chosen = [];
  while (chosen.length < count && rest.length > 0)
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return chosen;
}

/** Returns a function that returns random numbers from 0 to below 1 (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the sentences of paragraphs, list items and table cells, without code blocks. */
function documentSentences(path) {
  const blocks = [];
  let isCode = false;
  for (const [index, line] of read(path).split("\n").entries()) {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trim() === "" || /^\s*([-*#|<]|\d+\.)/.test(line))
      blocks.push({ line: index + 1, text: "" });
    if (!isFence && !isCode && blocks.length > 0) blocks[blocks.length - 1].text += ` ${line}`;
  }
  return blocks.flatMap(({ line, text }) =>
    text.split(/(?<!\\)\|/).flatMap((cell) => split(cell, { path, line, kind: "docs" })),
  );
}

/** Returns the sentences of comments, and of strings and page texts that are sentences. */
function codeSentences(path) {
  const text = read(path);
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`Cannot parse ${path}: ${errors[0].message}`);
  const lineAt = (offset) => text.slice(0, offset).split("\n").length;
  const found = comments.flatMap(({ value, start }) =>
    split(value.replace(/^[ \t]*\*+ ?/gm, ""), { path, line: lineAt(start), kind: "comment" }),
  );
  const kind = path.startsWith("web/") ? "page" : "message";
  visit(program);
  return found;

  function visit(node) {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string" || node.type === "ImportDeclaration") return;
    const value = shownText(node);
    if (value !== undefined && isSentence(value))
      found.push(...split(value, { path, line: lineAt(node.start), kind }));
    for (const child of Object.values(node)) if (typeof child === "object") visit(child);
  }
}

/** Returns the text of a string, template or JSX node, with `…` for expressions. */
function shownText(node) {
  if (node.type === "JSXText") return node.value;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("…");
  return undefined;
}

/**
 * Returns whether a text is a sentence: a capital letter, at least three words, and no sign of code, a path
 * or CSS.
 */
function isSentence(text) {
  const trimmed = text.trim();
  return /^[A-Z“"]/.test(trimmed) && trimmed.split(/\s+/).length >= 3 && !/[{}<>=;]|^\S+:\/\//.test(trimmed);
}

/** Splits text into sentences of at least three words. */
function split(text, { path, line, kind }) {
  return text
    .replace(/\s+/g, " ")
    .split(/(?<=[.!?:]) (?=[A-Z`“"])/)
    .map((sentence) => sentence.replace(/^(?:[\s#>*-]|\d+\. )+|\s+$/g, ""))
    .filter((sentence) => sentence.split(" ").length >= 3 && /[a-z]{3}/.test(sentence))
    .map((sentence) => ({ path, line, kind, text: sentence }));
}

function read(path) {
  return readFileSync(resolve(root, path), "utf8");
}

function listFiles(paths) {
  return execFileSync("git", ["ls-files", "--", ...paths], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => /\.(ts|tsx|mjs|md)$/.test(path));
}

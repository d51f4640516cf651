// Checks names and documentation against docs/glossary.md. Part of `npm run lint`.
//   node scripts/check-words.mjs
// Names: the last column of the glossary lists retired words in backticks. An identifier or file name that contains one
// is an error.
// Documentation: the phrases of prose-patterns.mjs, such as headless sentences and British spellings, are errors.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { parseSync } from "rolldown/utils";
import { prosePatterns } from "./prose-patterns.mjs";

/**
 * Names that contain a retired word in another meaning, or that a library, a vendor's API, an error code or the
 * glossary check itself defines.
 */
const ALLOWED = new Set([
  "reply",
  "Reply",
  "decorateReply",
  "client_gone",
  "hexWords",
  "longWords",
  "inPlace",
  "noReply",
  "in_reply_to_discussion_id",
  "check-words",
]);

/**
 * Fields of stored drafts, logs and APIs, whose names cannot change. They are allowed as property keys only: variables
 * have the names of the glossary.
 */
const WIRE_FIELDS = new Set(["fault", "place", "places", "resting"]);

const root = resolve(import.meta.dirname, "..");
const retired = parseRetiredTerms(readFileSync(resolve(root, "docs/glossary.md"), "utf8"));
const retiredPattern = new RegExp(
  `^(?:${retired.filter((token) => token.endsWith("_")).join("|")})|` +
    ` (?:${retired
      .filter((token) => !token.endsWith("_"))
      .map(splitName)
      .join("|")}) `,
);
/** name → whether it contains a retired word */
const judged = new Map();
const files = listFiles("src", "web", "test", "scripts", "bench").filter(
  (path) => /\.(ts|tsx|mts|mjs)$/.test(path) && !path.includes("fixtures/"),
);
const problems = [...nameProblems(), ...proseProblems()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Returns one message per name that contains a retired word. */
function nameProblems() {
  return files.flatMap((path) =>
    retiredNames(path).map(
      (name) => `${path}: "${name}" contains a retired word. Use the term of docs/glossary.md.`,
    ),
  );
}

/** Returns one message per phrase of the documentation that `prose-patterns.mjs` rejects. */
function proseProblems() {
  const documents = listFiles("docs", "examples", "*.md").filter((path) => /\.(md|jsonc)$/.test(path));
  return documents.flatMap((path) => {
    const lines = withoutCode(readFileSync(resolve(root, path), "utf8")).split("\n");
    return lines.flatMap((line, index) =>
      prosePatterns.flatMap(({ pattern, use, except }) => {
        const match = except?.includes(path) ? null : pattern.exec(line);
        return match ? [`${path}:${index + 1}: "${match[0]}": ${use}`] : [];
      }),
    );
  });
}

/** Returns the words in backticks in the glossary's last column. */
function parseRetiredTerms(glossary) {
  const cells = [...glossary.matchAll(/^\|.*\| ?([^|]*)\|$/gm)].map(([, cell]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`…]+)`/g)].map(([, token]) => token));
}

/** Returns the names in a file, including the file's own name, that contain a retired word. */
function retiredNames(path) {
  const text = readFileSync(resolve(root, path), "utf8");
  const candidates = new Set([...text.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name).filter(isRetired));
  const declared = candidates.size > 0 ? declaredNames(path, text) : [];
  return [basename(path).replace(/\..*$/, ""), ...declared].filter(isRetired);
}

function isRetired(name) {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const result =
    !ALLOWED.has(name) && (retiredPattern.test(name) || retiredPattern.test(` ${splitName(name)} `));
  judged.set(name, result);
  return result;
}

/** Returns the lower-case words of a camelCase, snake_case or kebab-case name, separated by spaces. */
function splitName(name) {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase()
    .trim();
}

/** Returns the names that a module declares: all identifiers but imported ones and members of other objects. */
function declaredNames(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`Cannot parse ${path}: ${errors[0].message}`);
  const imported = new Set();
  const names = new Set();
  visit(program, undefined, "");
  return [...names].filter((name) => !imported.has(name));

  function visit(node, parent, key) {
    if (Array.isArray(node)) for (const each of node) visit(each, parent, key);
    else if (node?.type === "ImportDeclaration")
      for (const { local } of node.specifiers) imported.add(local.name);
    else if (node?.type === "Identifier" && !isMember(parent, key) && !isWireField(node, parent, key))
      names.add(node.name);
    if (typeof node?.type !== "string" || node.type === "ImportDeclaration") return;
    for (const [name, child] of Object.entries(node)) if (typeof child === "object") visit(child, node, name);
  }
}

function isMember(parent, key) {
  if (parent?.type === "MemberExpression") return key === "property" && !parent.computed;
  return parent?.type === "TSQualifiedName" && key === "right";
}

function isWireField({ name }, parent, key) {
  return key === "key" && /Property|PropertySignature/.test(parent?.type) && WIRE_FIELDS.has(name);
}

/** Blanks code blocks and inline code, and keeps the line numbers. */
function withoutCode(text) {
  return text
    .replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, "``");
}

function listFiles(...paths) {
  return execFileSync("git", ["ls-files", "--", ...paths], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

// Runs every bench, writes its tables into docs/performance.md and its ratios into bench/ratios.json.
//   npm run bench [-- --only startup,memory] [-- --full] [-- --dry]
// The short form takes about 10 minutes on a quiet machine, --full an hour. --portkey, --ccr and --difit name the
// folders of installed peers; otherwise they are installed below .cache. --dry prints without writing.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "./report.mjs";
import { runBenches } from "./run-benches.mjs";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    full: { type: "boolean", default: false },
    dry: { type: "boolean", default: false },
    portkey: { type: "string" },
    ccr: { type: "string" },
    difit: { type: "string" },
  },
});
const document = resolve(import.meta.dirname, "../docs/performance.md");
const store = resolve(import.meta.dirname, "ratios.json");
const { portkey, ccr, difit } = flags;
const peers = { ...(portkey && { portkey }), ...(ccr && { ccr }), ...(difit && { difit }) };
const results = await runBenches({ only: flags.only?.split(","), short: !flags.full, peers, done: report });
for (const { title, failed } of results) if (failed) console.log(`${title}: not measured, ${failed}`);
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;

/** Prints a bench's result and updates its tables and ratios; a failed bench changes nothing. */
function report(result) {
  if (result.failed) return;
  console.log(`## ${result.title}\n\n${result.text}\n`);
  if (flags.dry) return;
  writeFileSync(document, between(readFileSync(document, "utf8"), result));
  if (Object.keys(result.ratios).length === 0) return;
  const known = JSON.parse(readFileSync(store, "utf8"));
  writeFileSync(store, `${JSON.stringify({ ...known, [result.id]: result.ratios }, null, 2)}\n`);
}

/** Returns the document with the section between a bench's marks replaced. */
function between(text, { id, text: figures }) {
  const marks = [`<!-- bench:${id} -->`, `<!-- end of ${id} -->`];
  const [start, end] = marks.map((mark) => text.indexOf(mark));
  if (start < 0 || end < start) throw new Error(`docs/performance.md has no marks for ${id}`);
  const day = new Date().toISOString().slice(0, 10);
  const content = `${marks[0]}\n${machine()}; ${day}, ${flags.full ? "full" : "short"} form\n\n${inMarkdown(figures)}\n${marks[1]}`;
  return `${text.slice(0, start)}${content}${text.slice(end + marks[1].length)}`;
}

/** Returns tables unchanged, and other output as a code block. */
function inMarkdown(figures) {
  return /^\|/m.test(figures) ? figures : `\`\`\`text\n${figures}\n\`\`\``;
}

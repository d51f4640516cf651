// Runs benches sequentially and parses their ratios; their progress goes to stderr.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { benches, tablesIn } from "./benches.mjs";
import { bringPeer, bringTools } from "./peers.mjs";

const root = resolve(import.meta.dirname, "..");

/**
 * Runs the benches whose id is in `only`, or all. `short` selects their short form; `peers` names folders of installed
 * peers. Resolves to `{id, title, lower, text, ratios, failed?}` of each, in order. `done` receives each result
 * immediately, so that an interrupted run keeps its results.
 */
export async function runBenches({ only, short, peers, done = () => {} }) {
  const unknown = (only ?? []).filter((id) => !benches.some((bench) => bench.id === id));
  if (unknown.length > 0)
    throw new Error(`Unknown bench ${unknown.join(", ")}. Known: ${benches.map(({ id }) => id).join(", ")}.`);
  const results = [];
  for (const bench of benches.filter(({ id }) => !only || only.includes(id))) {
    const began = performance.now();
    process.stderr.write(`${bench.title} …\n`);
    const result = await runOne(bench, { short, peers }).catch((error) => ({ failed: error.message }));
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stderr.write(result.failed ? `  not measured: ${result.failed}\n` : `  ${seconds} s\n`);
    results.push({ id: bench.id, title: bench.title, lower: bench.lower, text: "", ratios: {}, ...result });
    done(results.at(-1));
  }
  return results;
}

async function runOne(bench, { short, peers }) {
  bringTools(bench.tools ?? []);
  const folders = {};
  for (const name of bench.peers ?? []) folders[name] = await bringPeer(name, peers);
  const texts = [];
  for (const command of bench.commands({ short, peers: folders })) texts.push(await outputOf(command));
  const text = texts.map((part) => part.trim()).join("\n\n");
  const found = bench.ratios({ text, tables: tablesIn(text) });
  const ratios = Object.fromEntries(found.map(([name, value]) => [name, Number(value)]));
  const unread = Object.keys(ratios).filter((name) => !Number.isFinite(ratios[name]));
  if (unread.length > 0) process.stderr.write(`  no ratio in the output for: ${unread.join("; ")}\n`);
  for (const name of unread) delete ratios[name];
  return { text, ratios };
}

function outputOf([script, ...args]) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [resolve(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("error", fail);
    child.once("close", (code) =>
      code === 0 ? done(text) : fail(new Error(`${script} ended with ${code}: ${text.trim()}`)),
    );
  });
}

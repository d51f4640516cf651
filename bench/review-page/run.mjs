// Measures the time until a review page shows a diff, compared with difit on the same repositories, alternating:
//   node bench/review-page/run.mjs [--difit FOLDER] [--against FILE] [--sizes S,M,L,XL] [--rounds 3] [--short]
//     [--timeout 60]
// FOLDER has an installed difit, and FILE is the sallyport.js of another build. --short measures S and M once. difit is
// measured up to L: it renders every line of every file, and XL would take hours. A page that is not ready within
// --timeout seconds is not loaded again, and its ratio is printed as less than that of the timeout. Prints a Markdown
// table of medians; on a busy machine only the ratios are meaningful.
import { readFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createSallyport, difit, sallyport } from "./contenders.mjs";
import { makeRepository, sizes } from "./make-repository.mjs";
import { measurePage } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    difit: { type: "string" },
    against: { type: "string" },
    sizes: { type: "string" },
    rounds: { type: "string" },
    short: { type: "boolean", default: false },
    timeout: { type: "string", default: "60" },
    folder: { type: "string", default: join(tmpdir(), "sallyport-bench") },
  },
});

const chosen = (values.sizes ?? (values.short ? "S,M" : "S,M,L,XL")).split(",");
const rounds = Number(values.rounds ?? (values.short ? 1 : 3));
const timeout = Number(values.timeout) * 1_000;
const contenders = [sallyport];
if (values.against) contenders.push(createSallyport("other build", resolve(values.against)));
if (values.difit) contenders.push(difit(resolve(values.difit, "node_modules/difit/dist/cli/index.js")));

/** Measures one start and one load; returns undefined if the page was not ready in time. */
async function once(contender, repository, deep) {
  let server;
  try {
    server = await contender.start(repository, timeout);
    const page = await measurePage(server.url, contender, { deep, timeout });
    return { ready: server.ready, ...page, server: memoryOf(server.pid) };
  } catch (error) {
    console.error(`${contender.name}: ${error.message.split("\n")[0]}`);
    return undefined;
  } finally {
    server?.stop();
  }
}

/** Returns the memory of a process in megabytes; undefined if unknown or if the process has ended. */
function memoryOf(pid) {
  try {
    return Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024,
    );
  } catch {
    return undefined;
  }
}

function median(results, name) {
  const found = results.map((result) => result?.[name]).filter((value) => value !== undefined);
  return found.sort((a, b) => a - b)[found.length >> 1];
}

const columns = ["highlighted", "usable", "longest", "blank", "open", "keystroke", "heap", "nodes", "server"];
const titles = [
  "first highlighted, ms",
  "answers to keys, ms",
  "longest task scrolling, ms",
  "blank frames",
  "open a comment, ms",
  "slowest key, ms",
  "heap, MB",
  "elements",
  "server, MB",
];

console.log(
  `${cpus().length} processors, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}\n`,
);
console.log(`| diff | page | ${titles.join(" | ")} | ratio |`);
console.log(`|---|---|${columns.map(() => "---:").join("|")}|---:|`);
for (const size of chosen) {
  const repository = makeRepository(values.folder, size);
  const results = new Map(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      if (contender.name === "difit" && size === "XL") continue;
      if (results.get(contender).includes(undefined)) continue;
      // Scrolling difit through M takes several gigabytes; only its first paint is compared.
      const deep = contender.name !== "difit";
      results.get(contender).push(await once(contender, repository, deep));
    }
  }
  const own = median(results.get(sallyport), "highlighted");
  for (const [contender, found] of results) {
    const cells = columns.map((name) => median(found, name) ?? "–");
    const first = median(found, "highlighted");
    if (first === undefined && found.length > 0) cells[0] = `not within ${timeout}`;
    const isCompared = contender !== sallyport && found.length > 0 && own !== undefined;
    const ratio = !isCompared ? "" : first ? (own / first).toFixed(3) : `< ${(own / timeout).toFixed(3)}`;
    const name = `${size} (${sizes[size].files} × ${sizes[size].changed})`;
    console.log(`| ${name} | ${contender.name} | ${cells.join(" | ")} | ${ratio} |`);
  }
}
console.log(
  `\nload ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}`,
);

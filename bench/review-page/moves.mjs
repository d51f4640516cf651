// Measures the search for moved lines, and compares it with git on the commits of a repository:
//   node bench/review-page/moves.mjs [--sizes M,L,XL]
//   node bench/review-page/moves.mjs --compare REPOSITORY [--commits 50 | --at COMMIT,COMMIT] [--ws MODE] [--explain]
// MODE is that of git's --color-moved-ws. Sallyport ignores indentation, like ignore-all-space at the start of a line.
// Prints Markdown tables. The time is that of GET /api/diff/moves once the diff is taken; the longest delay is that of
// a request for the settings, sent every 20 ms meanwhile.
// --explain lists the lines that only git marks, and whose text is also in a line on the other side that Sallyport did
// not move. git marks every added line whose text was removed anywhere; Sallyport moves each line once, and includes
// edited lines.
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sallyport } from "./contenders.mjs";
import { makeRepository } from "./make-repository.mjs";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "M,L,XL" },
    compare: { type: "string" },
    commits: { type: "string", default: "50" },
    at: { type: "string" },
    ws: { type: "string", default: "no" },
    explain: { type: "boolean", default: false },
    folder: { type: "string", default: join(tmpdir(), "sallyport-bench") },
  },
});

if (values.compare) await compare(resolve(values.compare), Number(values.commits));
else await measure(values.sizes.split(","));

async function measure(sizes) {
  console.log("| diff | changed lines | moved lines | time, ms | longest delay of another request, ms |");
  console.log("|---|---:|---:|---:|---:|");
  for (const size of sizes) {
    const server = await sallyport.start(makeRepository(values.folder, size), 60_000);
    try {
      const get = (path) => fetch(server.url + path).then((response) => response.json());
      const { files } = await get("/api/diff/index");
      const changed = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
      const delays = watchDelays(() => get("/api/settings"));
      const started = performance.now();
      const { moves } = await get("/api/diff/moves");
      const time = Math.round(performance.now() - started);
      const longest = Math.round(await delays.stop());
      const lines = moves.reduce((sum, { to }) => sum + to.lineEnd - to.lineStart + 1, 0);
      console.log(`| ${size} | ${changed} | ${lines} | ${time} | ${longest} |`);
    } finally {
      server.stop();
    }
  }
}

/** Repeats a request until `stop`, which resolves to the milliseconds that the slowest request took. */
function watchDelays(request) {
  let stopped = false;
  const running = (async () => {
    let longest = 0;
    while (!stopped) {
      const started = performance.now();
      await request();
      longest = Math.max(longest, performance.now() - started);
      await new Promise((next) => setTimeout(next, 20));
    }
    return longest;
  })();
  return {
    stop() {
      stopped = true;
      return running;
    },
  };
}

async function compare(repository, count) {
  const git = (...args) =>
    execFileSync("git", args, { cwd: repository, maxBuffer: 1 << 28, encoding: "latin1" });
  const commits =
    values.at?.split(",").map((name) => git("rev-parse", `${name}^{commit}`).trim()) ??
    git("log", `-${count}`, "--no-merges", "--format=%H").trim().split("\n");
  const server = await sallyport.start(repository, 60_000);
  const sum = { files: 0, changed: 0, git: 0, ours: 0, both: 0, edited: 0, free: 0, time: 0 };
  console.log(
    "| commit | files | changed lines | moved: git | moved: Sallyport | both | of git's | only in edited moves | only git, not a copy | time, ms |",
  );
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  try {
    const headers = {
      "content-type": "application/json",
      origin: server.url,
      ...(await pageHeaders(server.url)),
    };
    for (const commit of commits) {
      const body = JSON.stringify({ diffType: `commit:${commit}`, patch: false });
      const response = await fetch(`${server.url}/api/diff/switch`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`${commit}: ${response.status} ${await response.text()}`);
      const figures = await compareCommit(git, server.url, commit);
      for (const [name, number] of Object.entries(figures)) sum[name] += number;
      if (values.at) printFigures(commit.slice(0, 10), figures);
    }
  } finally {
    server.stop();
  }
  if (commits.length > 1) printFigures(`${commits.length} commits`, sum);
}

async function compareCommit(git, url, commit) {
  const { files } = await (await fetch(`${url}/api/diff/index`)).json();
  const started = performance.now();
  const { moves } = await (await fetch(`${url}/api/diff/moves`)).json();
  const time = performance.now() - started;
  const generated = new Set(files.filter((file) => file.generated).map(({ path }) => path));
  const marked = markedByGit(git, commit, generated);
  const ours = new Set();
  let edited = 0;
  for (const { from, to, changed } of moves) {
    for (let line = from.lineStart; line <= from.lineEnd; line++) ours.add(`- ${from.path} ${line}`);
    for (let line = to.lineStart; line <= to.lineEnd; line++) ours.add(`+ ${to.path} ${line}`);
    if (!changed) continue;
    for (let line = from.lineStart; line <= from.lineEnd; line++)
      if (!marked.has(`- ${from.path} ${line}`)) edited++;
    for (let line = to.lineStart; line <= to.lineEnd; line++)
      if (!marked.has(`+ ${to.path} ${line}`)) edited++;
  }
  const changed = files.reduce((total, { additions, deletions }) => total + additions + deletions, 0);
  const both = [...marked.keys()].filter((line) => ours.has(line)).length;
  const free = freeLines(marked, ours);
  if (values.explain) for (const line of free) console.error(`${line}: ${marked.get(line).text}`);
  return {
    files: files.length,
    changed,
    git: marked.size,
    ours: ours.size,
    both,
    edited,
    free: free.length,
    time,
  };
}

/**
 * Returns the lines that only git marks, if a line with the same text on the other side was not moved either. Leaves
 * out lines of one change that differ only in indentation, because they have not moved. All other lines that only git
 * marks are copies: each line with the same text is the other end of a move.
 */
function freeLines(marked, ours) {
  const onlyGit = [...marked].filter(([line]) => !ours.has(line));
  const free = { "-": new Map(), "+": new Map() };
  for (const [line, found] of onlyGit) {
    const same = free[line[0]].get(found.text.trim()) ?? [];
    free[line[0]].set(found.text.trim(), [...same, found]);
  }
  return onlyGit
    .filter(([line, { text, change }]) => {
      const others = free[line[0] === "-" ? "+" : "-"].get(text.trim()) ?? [];
      return others.some((other) => other.change !== change || other.text === text);
    })
    .map(([line]) => line);
}

function printFigures(name, { files, changed, git, ours, both, edited, free, time }) {
  const share = git === 0 ? "–" : `${((100 * both) / git).toFixed(1)} %`;
  console.log(
    `| ${[name, files, changed, git, ours, both, share, edited, free, Math.round(time)].join(" | ")} |`,
  );
}

/** Returns the header with the token that the page of a review sends with its requests. */
async function pageHeaders(url) {
  const html = await (await fetch(url)).text();
  const token = /<meta name="(x-sallyport-page)" content="([^"]+)"/.exec(html);
  return token ? { [token[1]]: token[2] } : {};
}

/** Returns the lines that git colors as moved, by `- path number` or `+ path number`, each with its text and change. */
function markedByGit(git, commit, generated) {
  const colors = [
    "oldMoved=magenta",
    "oldMovedAlternative=blue",
    "newMoved=cyan",
    "newMovedAlternative=yellow",
  ];
  const settings = colors.flatMap((color) => ["-c", `color.diff.${color.replace("=", "=bold ")}`]);
  const text = git(
    ...settings,
    "-c",
    "core.quotePath=false",
    "diff",
    "-M",
    "--color=always",
    "--color-moved=zebra",
    `--color-moved-ws=${values.ws}`,
    `${commit}~1`,
    commit,
  );
  const marked = new Map();
  let path = "";
  let [oldLine, newLine] = [0, 0];
  // Number of the current change: changed lines without an unchanged line between them.
  let change = 0;
  for (const colored of text.split("\n")) {
    const line = colored.replace(/\u001b\[[0-9;]*m/g, "");
    const isMoved = colored.startsWith("\u001b[1;3") && !colored.startsWith("\u001b[1m");
    if (line.startsWith("diff --git ")) path = "";
    else if (path === "" || line.startsWith("--- ") || line.startsWith("+++ ")) {
      const name = /^(?:---|\+\+\+) [ab]\/(.*?)\t?$/.exec(line);
      if (name) path = Buffer.from(name[1], "latin1").toString();
    }
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (!/^[-+\\]/.test(line)) change++;
    if (hunk) [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
    else if (line.startsWith("-") && !line.startsWith("--- ")) {
      if (isMoved && !generated.has(path))
        marked.set(`- ${path} ${oldLine}`, { text: line.slice(1), change });
      oldLine++;
    } else if (line.startsWith("+") && !line.startsWith("+++ ")) {
      if (isMoved && !generated.has(path))
        marked.set(`+ ${path} ${newLine}`, { text: line.slice(1), change });
      newLine++;
    } else if (line.startsWith(" ")) {
      oldLine++;
      newLine++;
    }
  }
  return marked;
}

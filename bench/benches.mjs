// The benches of `npm run bench`: commands, required peers, and the ratios in their output that bench/ratios.json
// stores. A ratio relates two figures of one run, so it is comparable across machines.

/** The benches. `lower` is true if a smaller ratio is better, as for time or memory of Sallyport relative to a peer. */
export const benches = [
  {
    id: "startup",
    title: "Start and end of a review",
    commands: ({ short }) => [["bench/startup.mjs", ...(short ? ["--short"] : [])]],
    lower: true,
    // CPU time where available, because other processes affect wall-clock time.
    ratios: ({ tables }) =>
      rowsOf(tables, "of a bare node's")
        .filter((row) => row["subject"] !== "node" && /URL/.test(row["what"]))
        .map((row) => [`${row["what"]}, ${row["subject"]}, by CPU`, row["of a bare node's"]]),
  },
  {
    id: "plan-page",
    title: "The plan page",
    commands: ({ short }) => [["bench/plan-page.mjs", short ? "5" : "11"]],
    lower: true,
    ratios: ({ text }) => {
      const figure = (name) => Number(new RegExp(`${name}.*?(\\d+) ms`).exec(text)?.[1]);
      return [
        [
          "plan's text by an empty page",
          figure("navigation to text") / figure("navigation to an empty page"),
        ],
      ];
    },
  },
  {
    id: "review-page",
    title: "The code review page",
    peers: ["difit"],
    // difit takes minutes for M, so the short form stops at the time limit.
    commands: ({ short, peers }) => [
      [
        "bench/review-page/run.mjs",
        ...["--sizes", "S,M,L,XL", "--difit", peers.difit],
        ...(short ? ["--rounds", "1", "--timeout", "60"] : ["--rounds", "3", "--timeout", "180"]),
      ],
    ],
    lower: true,
    ratios: ({ tables }) =>
      rowsOf(tables, "ratio")
        .filter((row) => Number(row["ratio"]) > 0)
        .map((row) => [`${row["diff"]}, first highlighted text by difit's`, row["ratio"]]),
  },
  {
    id: "native-lane",
    title: "Native lane",
    peers: ["portkey"],
    tools: ["nginx", "wrk", "cc", "taskset"],
    commands: ({ short, peers }) => [
      ["bench/proxy/run.mjs", ...(short ? ["--short"] : []), "--portkey", peers.portkey],
    ],
    lower: false,
    ratios: ({ tables }) =>
      rowsOf(tables, "of the floor, by CPU")
        .filter((row) => row["subject"] === "sallyport")
        .map((row) => [`${row["case"]} × ${row["connections"]}, floor by CPU`, row["of the floor, by CPU"]]),
  },
  {
    id: "native-cost",
    title: "Native lane, cost of a call",
    tools: ["nginx", "cc", "taskset"],
    commands: ({ short }) => [["bench/proxy/cost.mjs", "--rounds", short ? "11" : "31"]],
    lower: false,
    ratios: ({ text }) =>
      [...text.matchAll(/^(.+?): floor .*ratio ([\d.]+)/gm)].map(([, name, ratio]) => [
        `${name}, floor by cost`,
        ratio,
      ]),
  },
  {
    id: "memory",
    title: "Memory after 100,000 requests",
    tools: ["nginx", "cc", "taskset"],
    commands: () => [["bench/proxy/memory.mjs"]],
    lower: true,
    ratios: ({ tables }) => {
      const samples = rowsOf(tables, "memory, MB").map((row) => Number(row["memory, MB"]));
      return [["after all by after the first tenth", samples.at(-1) / samples[1]]];
    },
  },
  {
    id: "aborts",
    title: "Clients that disconnect",
    commands: ({ short }) => [["bench/proxy/aborts.mjs", "--clients", short ? "3000" : "10000"]],
    lower: true,
    ratios: () => [],
  },
  {
    id: "translation",
    title: "Translation",
    peers: ["ccr"],
    tools: ["wrk", "cc", "taskset"],
    commands: ({ short, peers }) => [
      [
        "bench/translate/run.mjs",
        "--only",
        "throughput,latency",
        "--ccr",
        peers.ccr,
        ...(short ? ["--short"] : []),
      ],
    ],
    lower: true,
    ratios: ({ tables }) => {
      const rows = rowsOf(tables, "CPU ms/request");
      return rows
        .filter((row) => row["subject"] === "translated")
        .map((row) => {
          const peer = rows.find(
            (other) =>
              other["subject"] === "claude-code-router" &&
              other["case"] === row["case"] &&
              other["connections"] === row["connections"],
          );
          return [
            `${row["case"]} × ${row["connections"]}, CPU by claude-code-router's`,
            row["CPU ms/request"] / peer?.["CPU ms/request"],
          ];
        });
    },
  },
  {
    id: "translation-cpu",
    title: "Translation alone",
    tools: ["wrk", "cc", "taskset"],
    commands: ({ short }) => [
      ["bench/translate/run.mjs", "--only", "pairs,growth,memory", ...(short ? ["--short"] : [])],
    ],
    lower: true,
    ratios: () => [],
  },
  {
    id: "gateway-cost",
    title: "Gateway: cost of ledger and limits",
    tools: ["cc", "taskset"],
    commands: ({ short }) => [
      ["bench/gateway/cost.mjs", ...(short ? ["--rounds", "11", "--starts", "9"] : [])],
    ],
    lower: true,
    ratios: ({ tables }) =>
      rowsOf(tables, "of plain")
        .filter((row) => row["subject"] !== "plain")
        .map((row) => [`${row["subject"]}, CPU by a proxy without database`, row["of plain"]]),
  },
  {
    id: "gateway-replicas",
    title: "Gateway: two replicas",
    peers: ["portkey"],
    tools: ["nginx", "wrk", "cc", "taskset"],
    commands: ({ short, peers }) => [
      [
        "bench/gateway/replicas.mjs",
        "--portkey",
        peers.portkey,
        ...(short ? ["--rounds", "3", "--seconds", "2"] : []),
      ],
    ],
    lower: false,
    ratios: ({ tables }) =>
      rowsOf(tables, "of one behind nginx")
        .filter((row) => /two/.test(row["subject"]))
        .map((row) => [`${row["subject"]}, calls by one replica behind nginx`, row["of one behind nginx"]]),
  },
  {
    id: "gateway-ledger",
    title: "Gateway: a large ledger",
    commands: ({ short }) => [
      ["bench/gateway/ledger.mjs", ...(short ? ["--calls", "1", "--days", "31"] : [])],
    ],
    lower: true,
    ratios: ({ tables }) =>
      rowsOf(tables, "of the limit")
        .filter((row) => row["of the limit"] !== "–")
        .map((row) => [`${row["engine"]}, ${row["request"]}, by the limit`, row["of the limit"]]),
  },
];

/** Returns the Markdown tables in a text, each as a list of rows that map column titles to cells. */
export function tablesIn(text) {
  const blocks = text.split("\n").reduce(
    (found, line) => {
      if (line.startsWith("|")) found.at(-1).push(line);
      else if (found.at(-1).length > 0) found.push([]);
      return found;
    },
    [[]],
  );
  return blocks
    .filter((lines) => lines.length > 2)
    .map(([head, , ...lines]) => rowsUnder(cellsOf(head), lines));
}

function rowsUnder(titles, lines) {
  return lines.map((line) => {
    const cells = cellsOf(line);
    return Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ""]));
  });
}

function cellsOf(line) {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Returns the rows of the tables that have the column. */
function rowsOf(tables, column) {
  return tables.flat().filter((row) => column in row);
}

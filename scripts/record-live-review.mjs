// Records two rounds of a live review for the README: node scripts/record-live-review.mjs
// It runs the commands of an agent, acts as the person in the page, and shows the real page and output as an animated
// SVG.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cart, createRecording } from "./recording.mjs";
import { addLineComment } from "./review-page.mjs";
import { escaped } from "./terminal-svg.mjs";

const WIDTH = 1100;
const PAGE_HEIGHT = 600;
const TERMINAL_ROWS = 9;
const LINE = 19;
const COLUMNS = 124;
const MAX_BYTES = 1_500_000;

const root = resolve(import.meta.dirname, "..");
const recording = await createRecording();
const { shop, env, browser } = recording;
const terminal = [];
const frames = [];

try {
  const { id, page } = await start();
  await firstRound(page);
  await secondRound(page, id);
  const svg = render();
  if (svg.length > MAX_BYTES)
    throw new Error(`The recording has ${svg.length} bytes, more than ${MAX_BYTES}`);
  writeFileSync(join(root, "docs/images/live-review.svg"), svg);
  console.log(`docs/images/live-review.svg: ${frames.length} frames, ${svg.length} bytes`);
} finally {
  await recording.close();
}

/** Opens the review as the agent does, and its page as the person does. */
async function start() {
  const { id, url } = JSON.parse(agent("code", "--live", "--detach", "--agent", "claude-code"));
  const page = await browser.newPage({ viewport: { width: WIDTH, height: PAGE_HEIGHT } });
  await page.goto(url);
  await page.locator(".row .code-text").first().waitFor();
  await frame(page, 2);
  return { id, page };
}

async function firstRound(page) {
  await addLineComment(page, {
    path: "cart.ts",
    line: 2,
    text: "Round once, at the end: cents get lost here.",
  });
  await page.locator(".comment").waitFor();
  await frame(page, 2.5);
  await send(page);
  await page.locator(".live-banner", { hasText: "Sent, waiting for" }).waitFor();
  await frame(page, 2.5);
  const thread = /Thread `(t_\w+)`/.exec(agent("wait"))?.[1] ?? "";
  agent("status", "--author", "claude-code", "--text", "Moving the rounding");
  await page.locator(".live-progress").waitFor();
  await frame(page, 3);
  writeFileSync(join(shop, "cart.ts"), cart("item.price * item.count", "Math.round(", ")"));
  agent("reply", thread, "--author", "claude-code", "--resolve", "--text", "The sum is rounded once now.");
  agent("refresh");
  await page.locator(".live-round", { hasText: "changed since you sent" }).waitFor();
  await frame(page, 3.5);
}

async function secondRound(page, id) {
  await addLineComment(page, {
    path: "cart.ts",
    line: 2,
    text: "Good. Please name the unit: are prices in cents?",
  });
  await page.locator(".comment").waitFor();
  await frame(page, 2.5);
  await send(page);
  const threads = [...agent("wait").matchAll(/Thread `(t_\w+)`/g)].map(([, id]) => id);
  await frame(page, 2.5);
  writeFileSync(
    join(shop, "cart.ts"),
    `// Prices are in cents.\n${cart("item.price * item.count", "Math.round(", ")")}`,
  );
  const text = "Yes, in cents; the first line says so now.";
  agent("reply", threads.at(-1), "--author", "claude-code", "--text", text);
  agent("refresh");
  await page.locator(".message-agent", { hasText: "in cents" }).waitFor();
  await page.locator(".live-round", { hasText: "Round 3" }).waitFor();
  await frame(page, 3.5);
  await page.getByRole("button", { name: "Finish" }).first().click();
  await press(page, /^Approve/);
  // The review has ended: only its id leads to the last batch.
  agent("wait", "--id", id);
  await frame(page, 4);
}

async function send(page) {
  await page.getByRole("button", { name: /^Send/ }).first().click();
  await press(page, /^Send/);
}

/** Presses a button of the open dialog once it accepts input. */
async function press(page, name) {
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name }).last();
  await button.and(page.locator('[aria-disabled="false"]')).waitFor();
  await button.click();
  await dialog.waitFor({ state: "hidden" });
}

/** Runs a command of the agent, and shows it with its output. */
function agent(...args) {
  const line = args.map((arg) => (/^[\w./=-]+$/.test(arg) ? arg : `"${arg}"`)).join(" ");
  terminal.push({ kind: "command", text: `sallyport review ${line}` });
  const program = [join(root, "dist/sallyport.js"), "review", ...args];
  const output = execFileSync(process.execPath, program, {
    cwd: shop,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  const lines = output.split("\n").filter((each) => each !== "");
  for (const each of lines) terminal.push({ kind: "output", text: each });
  return output;
}

/** Shows the page and the end of the terminal for a number of seconds. */
async function frame(page, seconds) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  await session.detach();
  frames.push({ data, seconds, lines: terminal.slice(-TERMINAL_ROWS) });
}

function render() {
  const height = PAGE_HEIGHT + TERMINAL_ROWS * LINE + 24;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let at = 0;
  const shown = frames.map((each) => {
    const from = at;
    at += each.seconds;
    return renderFrame(each, from / total, at / total, total);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Two rounds of a live review: a comment in the page, the agent's reply and the new round, a second comment, the approval">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d8dee9}
.command{fill:#ffffff;font-weight:600}
</style>
<rect width="100%" height="100%" rx="8" fill="#15191f"/>
${shown.join("\n")}
</svg>
`;
}

function renderFrame({ data, lines }, from, to, total) {
  const isFirst = from === 0;
  const times = isFirst ? `0;${to.toFixed(4)}` : `0;${from.toFixed(4)};${Math.min(to, 1).toFixed(4)}`;
  const values = isFirst ? "1;0" : "0;1;0";
  const appear = `<animate attributeName="opacity" dur="${total}s" repeatCount="indefinite" calcMode="discrete" values="${values}" keyTimes="${times}"/>`;
  const text = lines.map(({ kind, text: line }, row) => {
    const cut = line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line;
    const y = PAGE_HEIGHT + 26 + row * LINE;
    return `<text class="${kind}" x="16" y="${y}">${kind === "command" ? "$ " : ""}${escaped(cut)}</text>`;
  });
  return `<g opacity="${isFirst ? 1 : 0}">${appear}<image width="${WIDTH}" height="${PAGE_HEIGHT}" href="data:image/webp;base64,${data}"/>${text.join("")}</g>`;
}

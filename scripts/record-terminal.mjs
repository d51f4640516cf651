// Records a terminal session of the built command for the README: node scripts/record-terminal.mjs
// It runs the commands, decides in their pages and shows their real output, slowed down for reading.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRecording } from "./recording.mjs";
import { addLineComment, addNote, pressIrreversible } from "./review-page.mjs";
import { terminalSvg } from "./terminal-svg.mjs";

const root = resolve(import.meta.dirname, "..");
const recording = await createRecording();
const { home, shop, env, browser } = recording;
const shown = [];

try {
  await reviewPlan();
  await reviewCode();
  await proxy();
  writeFileSync(join(root, "docs/images/terminal.svg"), terminalSvg(shown));
  console.log("docs/images/terminal.svg");
} finally {
  await recording.close();
}

async function reviewPlan() {
  type("sallyport review plan examples/plan.md");
  const review = start(["review", "plan", join(root, "examples/plan.md")]);
  await address(review);
  caption("… read in the browser, two comments, “Request changes” …");
  const page = await browser.newPage();
  await page.goto(review.url);
  await page.locator(".page[data-view]").waitFor();
  await addNote(
    page,
    "Every deployment logs everybody out",
    "c",
    "How many people is that on a working day?",
  );
  await addNote(page, "Numbers are from production, last week", "c", "Please name the query they come from.");
  await page.keyboard.press("x");
  await pressIrreversible(page, /^Send/);
  print(await review.ended);
}

async function reviewCode() {
  type("sallyport review code");
  const review = start(["review", "code"]);
  await address(review);
  caption("… a comment on a line of the diff, “Send feedback” …");
  const page = await browser.newPage();
  await page.goto(review.url);
  const text = "Round once, at the end: cents get lost here.";
  await addLineComment(page, { path: "cart.ts", line: 2, text });
  await page.getByRole("button", { name: /^Send/ }).first().click();
  await pressIrreversible(page, /^Send/);
  print(await review.ended);
}

async function proxy() {
  type("sallyport proxy start &");
  const server = start(["proxy", "start"]);
  await address(server);
  const body = { model: "echo", max_tokens: 64, messages: [{ role: "user", content: "Hello." }] };
  type(`curl -s localhost:8045/v1/messages --json '${JSON.stringify(body)}'`);
  print(await (await post(server, "/v1/messages", body)).text());
  server.child.kill("SIGTERM");
  await server.ended;
}

function type(command) {
  shown.push({ kind: "command", text: command });
}

function print(text) {
  for (const line of text.trimEnd().replaceAll(home, "~").split("\n"))
    shown.push({ kind: "output", text: line });
}

function caption(text) {
  shown.push({ kind: "caption", text });
}

/** Starts the command; `ended` resolves to what it prints on stdout. */
function start(args) {
  const child = spawn(process.execPath, [join(root, "dist/sallyport.js"), ...args], { cwd: shop, env });
  child.stdin.end();
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  const ended = new Promise((done) => child.once("close", () => done(stdout)));
  return { child, ended };
}

/** Waits until the command has printed its URL, and shows its output so far. */
async function address(started) {
  started.url = await new Promise((found, fail) => {
    let stderr = "";
    started.child.stderr.on("data", (chunk) => {
      stderr += chunk;
      const match = /(http:\S+)\s/.exec(stderr);
      // A banner is printed with the URL or directly after it.
      if (match) setTimeout(() => found({ url: match[1], stderr }), 300);
    });
    started.child.once("exit", (code) => fail(new Error(`ended with ${code}: ${stderr}`)));
  }).then(({ url, stderr }) => {
    print(stderr);
    return url;
  });
}

async function post({ url }, path, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
  return response;
}

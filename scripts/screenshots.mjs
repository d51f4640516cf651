// Takes the screenshots of the documentation from the built command: node scripts/screenshots.mjs
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { findChromium } from "./chromium.mjs";
import { withBusyProxy } from "./dashboard-traffic.mjs";
import { urlIn } from "./ready-url.mjs";
import { addLineComment, addNote, pressIrreversible } from "./review-page.mjs";
import { SAMPLE_COMMENT, sampleRepository } from "./sample-repository.mjs";

const root = resolve(import.meta.dirname, "..");
const images = join(root, "docs/images");
const home = await mkdtemp(join(tmpdir(), "sallyport-screenshots-"));
const plan = await readFile(join(root, "examples/plan.md"), "utf8");
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-sync",
];
const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
await mkdir(images, { recursive: true });

try {
  await withReview(plan, async (url) => {
    const page = await open(url, { width: 1280, height: 800 });
    await annotate(page);
    await page.evaluate(() => scrollTo(0, 0));
    await shoot(page, "plan-light");
    await shoot(await open(url, { width: 1280, height: 800, colorScheme: "dark" }), "plan-dark");
    await shoot(await open(url, { width: 360, height: 720 }), "plan-narrow");
    await page.keyboard.press("x");
    await pressIrreversible(page, /^Send to/);
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
  });
  await withReview(secondRound(plan), async (url) => {
    const page = await open(url, { width: 1280, height: 800 });
    await page.getByRole("button", { name: "Show changes" }).click();
    await shoot(page, "plan-changes");
  });
  await withCommand(["review", "code"], { cwd: sampleRepository(home), input: "" }, async (url) => {
    const page = await openCode(url, { width: 1280, height: 800 });
    await addLineComment(page, SAMPLE_COMMENT);
    await shoot(page, "code-light");
    await shoot(await openCode(url, { width: 1280, height: 800, colorScheme: "dark" }), "code-dark");
  });
  await withBusyProxy(home, async (url, adminKey) => {
    await shoot(await openDashboard(url, { width: 1280, height: 800 }), "dashboard-light");
    await shoot(
      await openDashboard(url, { width: 1280, height: 800, colorScheme: "dark" }),
      "dashboard-dark",
    );
    const overview = await openDashboard(url, { width: 1280, height: 900 });
    await signIn(overview, adminKey);
    await shoot(overview, "dashboard-overview");
    const calls = await openDashboard(url, { width: 1280, height: 800, colorScheme: "dark" });
    await signIn(calls, adminKey);
    await calls.getByRole("link", { name: "Calls", exact: true }).click();
    await shoot(calls, "dashboard-calls");
    const keys = await openDashboard(url, { width: 1280, height: 800 });
    await keys.route("**/api/admin/v1/settings", showUsualPaths);
    await signIn(keys, adminKey);
    // From now on, the page asks for a key.
    await createKeys(url, adminKey);
    await keys.getByRole("link", { name: "Keys", exact: true }).click();
    await keys.getByText("300 of 300 requests").waitFor();
    await shoot(keys, "dashboard-keys");
    await keys.getByRole("link", { name: "Settings", exact: true }).click();
    await keys.locator("tbody").getByText("upstreams.anthropic.dialect").waitFor();
    await shoot(keys, "dashboard-settings");
  });
} finally {
  await browser.close();
  await rm(home, { recursive: true, force: true });
}

/** Runs a review of `text` as Claude Code's hook starts it, until `use` has finished. */
async function withReview(text, use) {
  const event = {
    session_id: "screenshots",
    cwd: join(home, "shop"),
    permission_mode: "plan",
    hook_event_name: "PermissionRequest",
    tool_name: "ExitPlanMode",
    tool_input: { plan: text },
  };
  await mkdir(event.cwd, { recursive: true });
  await withCommand(["review", "plan"], { cwd: event.cwd, input: JSON.stringify(event) }, use);
}

/** Runs a command until `use`, which receives its URL, has finished. */
async function withCommand(args, { cwd, input }, use) {
  const ready = join(home, "ready.json");
  await rm(ready, { force: true });
  const command = [join(root, "dist/sallyport.js"), ...args, "--no-open", "--ready-file", ready];
  const env = { PATH: process.env.PATH, HOME: home, SERVICE_HOME: join(home, "data") };
  const child = spawn(process.execPath, command, { cwd, env, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise((done) => child.once("close", done));
  child.stdin.end(input);
  try {
    await use(await urlIn(ready));
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function openCode(url, { width, height, colorScheme = "light" }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  await page.goto(url);
  await page.locator(".row .code-text [class^='t-']").first().waitFor();
  return page;
}

async function openDashboard(url, { width, height, colorScheme = "light" }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  await page.goto(url);
  await page.locator(".filters").waitFor();
  return page;
}

async function signIn(page, adminKey) {
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Key", { exact: true }).fill(adminKey);
  await page.keyboard.press("Enter");
  await page.getByText("7 d", { exact: true }).click();
  await page.getByRole("heading", { name: "By model" }).waitFor();
}

/** Replaces the paths and URLs of this run with those of a typical configuration. */
async function showUsualPaths(route) {
  const response = await route.fetch();
  const body = (await response.text())
    .replaceAll(home, "/home/alice/.config/sallyport")
    .replaceAll(/("upstreams\.(anthropic|openai)\.base_url","value":)"[^"]+"/g, '$1"https://api.$2.com"');
  await route.fulfill({ response, body });
}

async function createKeys(url, adminKey) {
  const create = (path, body) =>
    fetch(`${url}/api/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const month = (usd) => [{ usd, period: "month" }];
  await create("/teams", {
    name: "search",
    tags: { cost_center: "42" },
    limits: { rpm: 300, budgets: month(400) },
  });
  const keys = [
    { name: "alice-laptop", team: "search", models: ["claude-*"], limits: { rpm: 60, budgets: month(50) } },
    { name: "bob-laptop", team: "search", limits: { rpm: 60, budgets: month(50) } },
    {
      name: "ci",
      tags: { pipeline: "nightly" },
      limits: { concurrency: 4, budgets: [{ usd: 5, period: "day" }] },
    },
  ];
  for (const key of keys) await create("/keys", key);
}

async function open(url, { width, height, colorScheme = "light" }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  await page.goto(url);
  await page.locator(".plan .diagram img").waitFor();
  await page.locator(".plan .hl-keyword").first().waitFor();
  return page;
}

async function annotate(page) {
  await addNote(
    page,
    "Every deployment logs everybody out",
    "c",
    "How many people is that on a working day?",
  );
  await addNote(page, "The switch is reversible until step 5", "!", "What if we find out at step 6?");
  await addNote(page, "Numbers are from production, last week", "c", "Please name the query they come from.");
  await page.getByText(/^Draft saved/).waitFor();
}

function secondRound(text) {
  return text
    .replace("Every deployment logs everybody out", "Every deployment logs 40,000 people out")
    .replace("The switch is reversible until step 5.", "The switch is reversible until step 6.")
    .replace(
      "- **Goal:** an instance",
      "- **Goal:** the switch can be taken back at any step.\n- **Goal:** an instance",
    );
}

async function shoot(page, name) {
  // Waits until toasts and the composer's focus have disappeared.
  await page.mouse.move(0, 0);
  await delay(4_500);
  await page.screenshot({ path: join(images, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

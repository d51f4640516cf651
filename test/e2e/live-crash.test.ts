import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { randomFrom, SEED } from "../support/random.ts";
import { COMMAND, sandbox, startCommand } from "../support/spawned-command.ts";

/** `npm run test:live-crash` runs 200. */
const KILLS = Number(process.env["LIVE_KILLS"] ?? 12);
const KILLS_PER_FOLDER = 4;
/** Maximum milliseconds during which person and agent write. Receiving a batch needs a process. */
const MAX_WRITING_MS = process.env["LIVE_KILLS"] ? 1_600 : 600;

interface RunningFile {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
}

interface Batch {
  readonly feedback: string;
  readonly threads: readonly { readonly id: string }[];
}

/** The messages and batches that were acknowledged, over all reviews of a folder. */
interface Ledger {
  readonly messages: Set<string>;
  readonly sent: Set<string>;
  /** Batches whose response was lost with the review: they may or may not be stored. */
  readonly doubtful: Set<string>;
  readonly received: string[];
}

describe(`a live review that is killed while person and agent write (SEED=${SEED})`, () => {
  const folders = Array.from({ length: Math.ceil(KILLS / KILLS_PER_FOLDER) }, (_, index) => index);
  it.each(folders)("loses no message and hands each batch out once, folder %i", async (number) => {
    const random = randomFrom(SEED + number);
    const folder = await sandbox();
    await writePlan(folder);
    const ledger: Ledger = { messages: new Set(), sent: new Set(), doubtful: new Set(), received: [] };
    for (let kill = 0; kill < KILLS_PER_FOLDER; kill += 1)
      await killOnce(folder, ledger, random, `${number}.${kill}`);
    await expectNothingLost(folder, ledger);
  });
});

async function writePlan(folder: string): Promise<void> {
  await writeFile(join(folder, "project", "plan.md"), "# Plan\n\nDo it.\n");
}

async function startLive(folder: string): Promise<RunningFile> {
  await startCommand(["review", "plan", "--live", "plan.md", "--no-open"], { folder });
  let running: RunningFile | undefined;
  await expect
    .poll(async () => {
      running = await liveReview(folder);
      return running !== undefined;
    })
    .toBe(true);
  if (!running) throw new Error("no running file");
  return running;
}

async function liveReview(folder: string): Promise<RunningFile | undefined> {
  const path = join(folder, "data", "running");
  for (const name of await readdir(path).catch(() => [])) {
    const text = await readFile(join(path, name), "utf8").catch(() => "null");
    const file: RunningFile | null = JSON.parse(text);
    if (file && isAlive(file.pid)) return file;
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function killOnce(folder: string, ledger: Ledger, random: () => number, name: string): Promise<void> {
  const review = await startLive(folder);
  const stop = new AbortController();
  const work = [writeAsPerson(review, ledger, name, stop.signal), waitAsAgent(folder, ledger, stop.signal)];
  await delay(100 + random() * (MAX_WRITING_MS - 100));
  process.kill(review.pid, "SIGKILL");
  stop.abort();
  await Promise.all(work);
  await expect.poll(() => isAlive(review.pid)).toBe(false);
}

async function writeAsPerson(
  review: RunningFile,
  ledger: Ledger,
  name: string,
  stop: AbortSignal,
): Promise<void> {
  for (let index = 0; !stop.aborted; index += 1) {
    const text = `${name}/${index}`;
    const thread = { anchor: { kind: "review" }, type: "comment", markdown: text };
    if (!(await post(review, "/api/threads", thread))) return;
    ledger.messages.add(text);
    if (index % 3 !== 2) continue;
    ledger.doubtful.add(text);
    if (!(await post(review, "/api/send", { feedback: text }))) return;
    ledger.doubtful.delete(text);
    ledger.sent.add(text);
  }
}

async function post({ port }: RunningFile, path: string, body: object): Promise<boolean> {
  const origin = `http://localhost:${port}`;
  const headers = { origin, "content-type": "application/json" };
  return fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Runs `review wait` again and again. Only one that ends with 0 has received its batch. */
async function waitAsAgent(folder: string, ledger: Ledger, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const { code, stdout } = await waitCommand(folder);
    if (code === 0) ledger.received.push((JSON.parse(stdout) as Batch).feedback);
    else if (code !== 124) await delay(50);
  }
}

/** Waits for a batch for at most this number of seconds. */
function waitCommand(folder: string, seconds = 1): Promise<{ code: number | null; stdout: string }> {
  const child = spawn(process.execPath, [COMMAND, "review", "wait", "--json", "--timeout", String(seconds)], {
    cwd: join(folder, "project"),
    env: { PATH: process.env["PATH"], HOME: join(folder, "home"), SERVICE_HOME: join(folder, "data") },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout })));
}

async function expectNothingLost(folder: string, ledger: Ledger): Promise<void> {
  const review = await startLive(folder);
  for (;;) {
    const isWhole = [...ledger.sent].every((text) => ledger.received.includes(text));
    // On a busy machine, a batch takes longer than the second after which an agent retries.
    const { code, stdout } = await waitCommand(folder, isWhole ? 1 : 60);
    if (code !== 0) break;
    ledger.received.push((JSON.parse(stdout) as Batch).feedback);
  }
  const response = await fetch(`http://localhost:${review.port}/api/threads`);
  const { threads } = (await response.json()) as { threads: { messages: { markdown: string }[] }[] };
  const stored = threads.flatMap(({ messages }) => messages.map(({ markdown }) => markdown));
  expect(new Set(stored).size).toBe(stored.length);
  expect([...ledger.messages].filter((text) => !stored.includes(text))).toEqual([]);
  expect(new Set(ledger.received).size).toBe(ledger.received.length);
  expect([...ledger.sent].filter((text) => !ledger.received.includes(text))).toEqual([]);
  const known = new Set([...ledger.sent, ...ledger.doubtful]);
  expect(ledger.received.filter((text) => !known.has(text))).toEqual([]);
  process.kill(review.pid, "SIGKILL");
}

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { expectNothingLost, newTraffic, readDraft, type Traffic } from "../support/crash-traffic.ts";
import { samplePlan } from "../support/plans.ts";
import { randomFrom, SEED } from "../support/random.ts";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

/** `npm run test:crash` runs 200. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 40);
const AT_ONCE = 4;
const REVIEW = ["review", "plan", "--no-open", "--json"];

describe(`a review that is killed while its page types and decides (SEED=${SEED})`, () => {
  const firsts = Array.from({ length: KILLS / AT_ONCE }, (_, group) => group * AT_ONCE);
  it.each(firsts)(`loses nothing, kills %i and the ${AT_ONCE - 1} after it`, async (first) => {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => killOnce(first + index)));
  });
});

async function killOnce(number: number): Promise<void> {
  const random = randomFrom(SEED + number);
  const folder = await sandbox();
  const command = await startCommand(REVIEW, { stdin: samplePlan, folder });
  const traffic = newTraffic(`No, says ${number}. ${"Because. ".repeat(random() * 5_000)}`);
  await killSomewhere(command, traffic, random);
  const { stdout } = await command.ended;
  await expectNothingLost(folder, traffic, stdout);
  if (number % 8 === 0) await expectRestored(folder, traffic);
}

/** Types, may decide, and kills the command: while typing, while deciding, or directly after the response. */
async function killSomewhere(command: SpawnedCommand, traffic: Traffic, random: () => number): Promise<void> {
  const url = await command.url();
  const typing = typeWithoutPause(url, traffic, random);
  const instant = random() * 3;
  if (instant < 1) await delay(random() * 300);
  else {
    const enough = 1 + Math.floor(random() * 12);
    while (traffic.acknowledged < enough) await delay(1);
    const deciding = decide(url, traffic);
    await (instant < 2 ? delay(random() * 60) : deciding);
  }
  command.child.kill("SIGKILL");
  await typing;
}

async function typeWithoutPause(url: string, traffic: Traffic, random: () => number): Promise<void> {
  for (let generation = 1; ; generation += 1) {
    const content = { text: `${generation} ${"typed ".repeat(random() ** 3 * 20_000)}` };
    traffic.drafts.push({ generation, content });
    const response = await send("PUT", `${url}/api/draft`, { generation, content });
    if (response?.status !== 200) return;
    traffic.acknowledged = generation;
  }
}

async function decide(url: string, traffic: Traffic): Promise<void> {
  traffic.isDecisionSent = true;
  const response = await send("POST", `${url}/api/deny`, { feedback: traffic.feedback });
  traffic.isDecisionAcknowledged = response?.status === 200;
}

/** Returns the complete response, or undefined if the server was killed before. */
async function send(method: string, url: string, body: object): Promise<Response | undefined> {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    await response.text();
    return response;
  } catch {
    return undefined;
  }
}

/** Later commands read the same state. */
async function expectRestored(folder: string, traffic: Traffic): Promise<void> {
  const draft = await readDraft(folder);
  const next = await startCommand(REVIEW, { stdin: samplePlan, folder });
  const found = await (await fetch(`${await next.url()}/api/draft`)).json();
  expect(found).toMatchObject(draft ?? { generation: 0, content: null });
  next.child.kill("SIGTERM");
  const last = await startCommand(["review", "last", "--json"], { folder });
  const { code, stdout } = await last.ended;
  if (traffic.isDecisionAcknowledged) expect(JSON.parse(stdout).feedback).toBe(traffic.feedback);
  else if (!traffic.isDecisionSent) expect(code).not.toBe(0);
}

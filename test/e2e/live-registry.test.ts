import { execFileSync } from "node:child_process";
import { open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { getProcessMark } from "../../src/files/running-process.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

async function startPlan(folder: string, name: string, ...flags: string[]) {
  await writeFile(join(folder, "project", name), `# Plan ${name}\n`);
  return startCommand(["review", "plan", name, "--no-open", ...flags], { folder });
}

/** Returns the data of each event of a kind that a page receives, as it arrives. */
async function followEvents(url: string, kind: string): Promise<readonly unknown[]> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${url}/api/events`, { signal: stop.signal });
  const received: unknown[] = [];
  const read = async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = new RegExp(`^event: ${kind}\\ndata: (.*)$`, "m").exec(block)?.[1];
        if (data !== undefined) received.push(JSON.parse(data));
      }
    }
  };
  read().catch(() => {});
  return received;
}

interface LivePlan {
  readonly live: { readonly agent: object };
}

interface Titles {
  readonly reviews: readonly { readonly title: string }[];
}

const titlesIn = (received: readonly unknown[]) =>
  (received as readonly Titles[]).map(({ reviews }) => reviews.map(({ title }) => title));

describe("the reviews of this machine", () => {
  it("are sent to each page when one opens, gets another title, or ends", async () => {
    const folder = await sandbox();
    const url = await (await startPlan(folder, "one.md")).url();
    const received = await followEvents(url, "reviews");
    expect(await (await fetch(`${url}/api/reviews`)).json()).toEqual({ reviews: [] });
    const other = await startPlan(folder, "two.md", "--live");
    await other.url();
    await expect.poll(() => titlesIn(received)).toEqual([["Plan two.md"]]);
    await writeFile(join(folder, "project", "two.md"), "# Plan three\n");
    await expect.poll(() => titlesIn(received).at(-1)).toEqual(["Plan three"]);
    other.child.kill("SIGKILL");
    await expect.poll(() => titlesIn(received).at(-1)).toEqual([]);
  });

  it("show what an agent does until its next wait", async () => {
    const folder = await sandbox();
    const url = await (await startPlan(folder, "plan.md", "--live", "--agent", "opener")).url();
    const agent = async () => ((await (await fetch(`${url}/api/plan`)).json()) as LivePlan).live.agent;
    const run = async (...args: string[]) => (await startCommand(["review", ...args], { folder })).ended;
    expect(await agent()).toEqual({ name: "opener", state: "none" });
    await run("status", "--text", "Reading", "--author", "codex");
    expect(await agent()).toEqual({ name: "codex", state: "working", progress: "Reading" });
    const headers = { origin: url, "content-type": "application/json" };
    await fetch(`${url}/api/send`, { method: "POST", headers, body: "{}" });
    expect((await run("wait")).code).toBe(0);
    expect(await agent()).toEqual({ name: "codex", state: "working" });
  });

  it("list a live plan by the title of its latest round", async () => {
    const folder = await sandbox();
    await startPlan(folder, "plan.md", "--live");
    const running = join(folder, "data", "running");
    const readTitle = async () => {
      const [name] = (await readdir(running).catch(() => [])).filter((each) => each.endsWith(".json"));
      return name && JSON.parse(await readFile(join(running, name), "utf8")).title;
    };
    await expect.poll(readTitle).toBe("Plan plan.md");
    await writeFile(join(folder, "project", "plan.md"), "# Another plan\n");
    await expect.poll(readTitle).toBe("Another plan");
    const { ended } = await startCommand(["review", "list"], { folder });
    expect((await ended).stdout).toContain("Another plan");
  });

  it("give their end to a wait that finds one listed for the last time", async () => {
    const folder = await sandbox();
    const review = await startPlan(folder, "plan.md", "--live");
    const url = await review.url();
    const running = join(folder, "data", "running");
    const names = async () =>
      (await readdir(running).catch(() => [])).filter((each) => each.endsWith(".json"));
    await expect.poll(names).toHaveLength(1);
    const [name = ""] = await names();
    const listed = JSON.parse(await readFile(join(running, name), "utf8"));
    const headers = { origin: url, "content-type": "application/json" };
    await fetch(`${url}/api/finish`, { method: "POST", headers, body: '{"approved":false}' });
    await review.ended;

    // A pipe, so that the file is removed exactly after it was read once.
    const path = join(running, name);
    execFileSync("mkfifo", [path]);
    const wait = await startCommand(["review", "wait", "--json", "--id", listed.id], { folder });
    const pipe = await open(path, "w");
    await rm(path);
    await pipe.writeFile(JSON.stringify({ ...listed, ...getProcessMark() }));
    await pipe.close();
    const { code, stdout } = await wait.ended;
    expect([code, JSON.parse(stdout || "{}")]).toEqual([0, expect.objectContaining({ event: "ended" })]);
  });
});

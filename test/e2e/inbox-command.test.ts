import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

/** Tests `sallyport inbox` without its page: its responses and its access checks. */

interface Content {
  readonly waiting: readonly { readonly title: string; readonly url: string; readonly live: boolean }[];
  readonly decided: readonly { readonly title: string; readonly decision: string }[];
}

async function startInbox(folder: string) {
  const ready = join(folder, "inbox.json");
  const port = String(await quietPort());
  const inbox = await startCommand(["inbox", "--no-open", "--port", port, "--ready-file", ready], { folder });
  await inbox.waitForOutput(/The inbox is at/);
  await expect.poll(() => readFile(ready, "utf8").catch(() => "")).toContain("url");
  const { url } = JSON.parse(await readFile(ready, "utf8")) as { url: string };
  const read = async () => (await (await fetch(`${url}/api/inbox`)).json()) as Content;
  return { inbox, url, port, read };
}

async function startPlan(folder: string, title: string, ...flags: string[]) {
  const name = `${title.toLowerCase()}.md`;
  await writeFile(join(folder, "project", name), `# ${title}\n`);
  return startCommand(["review", "plan", name, "--no-open", "--exit-code", ...flags], { folder });
}

const titles = (reviews: readonly { readonly title: string }[]) => reviews.map(({ title }) => title);

describe("sallyport inbox", () => {
  it("lists what waits, live or not, and what was decided today; newest first", async () => {
    const folder = await sandbox();
    const { read } = await startInbox(folder);
    expect(await read()).toEqual({ waiting: [], decided: [] });
    const first = await startPlan(folder, "First");
    await expect.poll(async () => titles((await read()).waiting)).toEqual(["First"]);
    const second = await startPlan(folder, "Second", "--live");
    await expect.poll(async () => titles((await read()).waiting)).toEqual(["Second", "First"]);
    expect((await read()).waiting.map(({ live }) => live)).toEqual([true, false]);
    await first.url();
    await first.post("/api/deny", { feedback: "No." });
    await first.ended;
    await expect
      .poll(read)
      .toMatchObject({ waiting: [{ title: "Second" }], decided: [{ title: "First", decision: "deny" }] });
    second.child.kill("SIGKILL");
    await second.ended;
    expect((await read()).waiting).toEqual([]);
  });

  it("sends its content after each change", async () => {
    const folder = await sandbox();
    const { url } = await startInbox(folder);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const { body } = await fetch(`${url}/api/events`, { signal: stop.signal });
    let text = "";
    const reading = (async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    })();
    reading.catch(() => {});
    await expect.poll(() => text).toContain("event: hello");
    await startPlan(folder, "First");
    await expect.poll(() => text).toMatch(/event: inbox\ndata: .*"title":"First"/);
  });

  it("only reads, and only for its own page", async () => {
    const folder = await sandbox();
    const { url, port } = await startInbox(folder);
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${url}${path}`, init)).status;
    expect(await status("/api/inbox", { headers: { origin: "http://evil.example" } })).toBe(403);
    expect(await status("/api/inbox", { headers: { "sec-fetch-site": "cross-site" } })).toBe(403);
    const posted = await (await fetch(`${url}/api/inbox`, { method: "POST", body: "{}" })).text();
    expect(posted).not.toContain('"waiting"');
    const other = await startCommand(["inbox", "--no-open", "--port", port], { folder });
    expect((await other.ended).code).toBe(3);
  });

  it("shows no token", async () => {
    const folder = await sandbox();
    const { url, read } = await startInbox(folder);
    await startPlan(folder, "First", "--live");
    await expect.poll(async () => titles((await read()).waiting)).toEqual(["First"]);
    expect(await (await fetch(`${url}/api/inbox`)).text()).not.toMatch(/token|"pid"/);
  });
});

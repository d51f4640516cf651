import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { redPixel } from "../support/plans.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const REVIEW = ["review", "plan", "--no-open", "--json"];
const PLAN = { stdin: "# Plan\n\nShort.\n" };
const LONG = "A long word of the person's. ".repeat(2_000);

describe("a disk on which no file can exceed 16 KiB", () => {
  it("reports at once that a draft is not saved, keeps the previous one, and saves again when possible", async () => {
    const command = await startCommand(REVIEW, { ...PLAN, largestFile: 16 });
    const url = await command.url();
    expect(await put(url, 1, "short")).toMatchObject({ status: 200 });
    const message = /^Cannot store data in .*drafts: the file is too large for the file system\.$/;
    expect(await put(url, 2, LONG)).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(message) },
    });
    expect(await put(url, 3, LONG)).toMatchObject({ status: 500 });
    await command.waitForOutput(/sallyport: Cannot store data in .*drafts/);
    expect(command.stderr().match(/Cannot store data/g)).toHaveLength(1);
    expect(await (await fetch(`${url}/api/draft`)).json()).toMatchObject({ generation: 1, content: "short" });
    expect(await put(url, 4, "short again")).toMatchObject({ status: 200 });
    expect(await readdir(join(command.folder, "data", "drafts"))).toHaveLength(1);
  });

  it("stores an image completely or not at all", async () => {
    const command = await startCommand(REVIEW, { ...PLAN, largestFile: 16 });
    const url = await command.url();
    const body = new FormData();
    body.set("file", new Blob([Buffer.concat([redPixel, Buffer.alloc(100_000)])]), "large.png");
    const response = await fetch(`${url}/api/upload`, { method: "POST", body });
    const error = expect.stringContaining("Cannot store the upload");
    expect([response.status, await response.json()]).toEqual([500, { error }]);
    expect(await readdir(join(command.folder, "tmp", "sallyport"))).toEqual([]);
  });

  it("delivers a decision that cannot be stored if the person confirms it", async () => {
    const command = await startCommand(REVIEW, { ...PLAN, largestFile: 16 });
    const first = await command.post("/api/deny", { feedback: LONG });
    expect(first).toMatchObject({ status: 500, body: { error: expect.stringContaining("decide again") } });
    await command.waitForOutput(/The decision was not accepted/);
    expect(command.stdout()).toBe("");
    const second = await command.post("/api/deny", { feedback: LONG });
    expect(second).toMatchObject({ status: 200, body: { ok: true, warnings: expect.anything() } });
    const { code, stdout } = await command.ended;
    expect([code, JSON.parse(stdout).feedback]).toEqual([0, LONG]);
  });
});

describe("a data directory that cannot be written", () => {
  it("is reported before the review starts", async () => {
    const folder = await sandbox();
    await writeFile(join(folder, "data"), "in the way");
    const command = await startCommand(REVIEW, { ...PLAN, folder });
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/Cannot use the data directory .*: .*\n.*SERVICE_HOME/);
  });

  it("does not prevent a decision if it is partly writable", async () => {
    const folder = await sandbox();
    await mkdir(join(folder, "data"));
    for (const name of ["decisions", "drafts", "history", "plans", "settings.json"])
      await writeFile(join(folder, "data", name), "in the way");
    const command = await startCommand(REVIEW, { ...PLAN, folder });
    expect(await put(await command.url(), 1, "typed")).toMatchObject({ status: 500 });
    expect(await command.post("/api/deny", { feedback: "no" })).toMatchObject({ status: 500 });
    expect(await command.post("/api/deny", { feedback: "no" })).toMatchObject({ status: 200 });
    expect(JSON.parse((await command.ended).stdout)).toMatchObject({ decision: "deny", feedback: "no" });
  });
});

async function put(url: string, generation: number, content: string) {
  const response = await fetch(`${url}/api/draft`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ generation, content }),
  });
  return { status: response.status, body: await response.json() };
}

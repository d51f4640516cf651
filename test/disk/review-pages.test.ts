import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { changedRepository, openCodeReview } from "../support/code-review-page.ts";
import { redPixel, samplePlan } from "../support/plans.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

const browser = await launchBrowserForFile();

/** A failure of the data directory's disk, and how to end it. */
const OBSTACLES: readonly {
  name: string;
  reason: string;
  begin: (disk: SmallDisk) => Promise<void>;
  end: (disk: SmallDisk) => Promise<void>;
}[] = [
  {
    name: "is full",
    reason: "no space left on the device",
    begin: (disk) => disk.fill(),
    end: (disk) => disk.free(),
  },
  {
    name: "has become read-only",
    reason: "the file system is read-only",
    begin: (disk) => disk.setReadOnly(true),
    end: (disk) => disk.setReadOnly(false),
  },
];

const PLAN = ["review", "plan", "--no-open", "--json"];

describe.each(OBSTACLES)("a data directory whose disk $name", ({ reason, begin, end }) => {
  it("keeps no word of a plan's reviewer from the agent, once it is well again", async () => {
    const { command, page, disk } = await openPlan();
    await page.keyboard.press("g");
    await page.keyboard.type("Typed before. ");
    await page.getByText(/^Draft saved/).waitFor();
    const before = await draftsIn(disk);
    await begin(disk);
    await page.keyboard.type("Typed meanwhile.");
    const banner = page.getByText("Your comments are not being saved: Cannot store data in");
    await expect.poll(() => banner.textContent()).toContain(reason);
    await command.waitForOutput(/Cannot store data in .*drafts/);
    expect(await page.locator(".composer textarea").inputValue()).toBe("Typed before. Typed meanwhile.");
    expect(await draftsIn(disk)).toEqual(before);

    await page.getByRole("button", { name: "Deny" }).click();
    const send = page.getByRole("button", { name: /^Send to/ });
    await send.click();
    const problem = page.getByRole("alert").filter({ hasText: "The decision was not accepted." });
    await expect.poll(() => problem.textContent()).toContain(reason);
    expect(command.stdout()).toBe("");

    await end(disk);
    await banner.waitFor({ state: "detached" });
    await page.getByText(/^Draft saved/).waitFor();
    expect(JSON.stringify(await draftsIn(disk))).toContain("Typed before. Typed meanwhile.");
    await send.click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).feedback).toContain("Typed before. Typed meanwhile.");
    const last = await startCommand(["review", "last", "--json"], { folder: command.folder });
    expect(JSON.parse((await last.ended).stdout)).toEqual(JSON.parse(stdout));
  });

  it("keeps nobody from answering the agent who means it", async () => {
    const { command, page, disk } = await openPlan();
    await begin(disk);
    await page.keyboard.press("g");
    await page.keyboard.type("No, and now.");
    await page.getByRole("button", { name: "Deny" }).click();
    const send = page.getByRole("button", { name: /^Send to/ });
    await send.click();
    await page.getByText("decide again to send the decision without a record").waitFor();
    await send.click();
    await page.getByText("The decision is not recorded.").waitFor();
    const { code, stdout } = await command.ended;
    expect([code, JSON.parse(stdout).decision]).toEqual([0, "deny"]);
    expect(stdout).toContain("No, and now.");
  });

  it("keeps no word of a code reviewer's from the agent, once it is well again", async () => {
    const repository = await changedRepository();
    const disk = await mountSmallDisk(join(repository.outside, "data"));
    const { page, ended } = await openCodeReview(browser, repository);
    await page.keyboard.press("g");
    await page.locator(".sidebar textarea").fill("Typed before.");
    await page.locator(".status-line", { hasText: "Draft saved" }).waitFor();
    const before = await draftsIn(disk);
    await begin(disk);
    await page.keyboard.type(" Typed meanwhile.");
    const banner = page.getByText("Your comments are not saved yet: Cannot store data in");
    await expect.poll(() => banner.textContent()).toContain(reason);
    expect(await page.locator(".sidebar textarea").inputValue()).toBe("Typed before. Typed meanwhile.");
    expect(await draftsIn(disk)).toEqual(before);

    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Shift+Enter");
    const send = page.getByRole("dialog").getByRole("button", { name: "Send feedback" });
    await send.click();
    const problem = page.getByRole("alert").filter({ hasText: "The decision was not accepted." });
    await expect.poll(() => problem.textContent()).toContain(reason);
    await end(disk);
    await banner.waitFor({ state: "detached" });
    await page.locator(".status-line", { hasText: "Draft saved" }).waitFor();
    await send.click();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain("Typed before. Typed meanwhile.");
  });
});

describe("a disk that cannot be written from the first", () => {
  it("is told before anybody starts to review, where it is read-only", async () => {
    const folder = await sandbox();
    const disk = await mountSmallDisk(join(folder, "data"));
    await disk.setReadOnly(true);
    const { code, stdout, stderr } = await (await startCommand(PLAN, { stdin: samplePlan, folder })).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/Cannot use the data directory .*: .*\n.*SERVICE_HOME/);
  });

  it("opens the review all the same, where it is full", async () => {
    const { command, page } = await openPlan((disk) => disk.fill());
    await page.keyboard.press("g");
    await page.keyboard.type("Heard.");
    await page.getByText("Your comments are not being saved").waitFor();
    expect(await command.post("/api/deny", { feedback: "Heard." })).toMatchObject({ status: 500 });
    expect(await command.post("/api/deny", { feedback: "Heard." })).toMatchObject({ status: 200 });
    expect(JSON.parse((await command.ended).stdout)).toMatchObject({ decision: "deny", feedback: "Heard." });
  });

  it("takes an image whole or not at all", async () => {
    const folder = await sandbox();
    const disk = await mountSmallDisk(join(folder, "tmp"));
    const command = await startCommand(PLAN, { stdin: samplePlan, folder });
    const url = await command.url();
    const upload = async () => {
      const body = new FormData();
      body.set("file", new Blob([Buffer.concat([redPixel, Buffer.alloc(200_000)])]), "large.png");
      const response = await fetch(`${url}/api/upload`, { method: "POST", body });
      return { status: response.status, body: await response.json() };
    };
    await disk.fill();
    const error = expect.stringContaining("Cannot store the upload");
    expect(await upload()).toMatchObject({ status: 500, body: { error } });
    expect(await readdir(join(folder, "tmp", "sallyport"))).toEqual([]);
    await disk.free();
    expect(await upload()).toMatchObject({ status: 200, body: { originalName: "large.png" } });
  });
});

interface OpenedPlan {
  readonly command: SpawnedCommand;
  readonly page: Page;
  readonly disk: SmallDisk;
}

async function openPlan(prepare?: (disk: SmallDisk) => Promise<void>): Promise<OpenedPlan> {
  const folder = await sandbox();
  const disk = await mountSmallDisk(join(folder, "data"));
  await prepare?.(disk);
  const command = await startCommand(PLAN, { stdin: samplePlan, folder });
  const { page } = await openReview(browser, await command.url());
  return { command, page, disk };
}

/** Name → content. Files left over from a failed save would be included. */
async function draftsIn(disk: SmallDisk): Promise<Record<string, string>> {
  const folder = join(disk.path, "drafts");
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
}

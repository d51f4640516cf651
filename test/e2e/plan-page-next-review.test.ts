import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const browser = await launchBrowserForFile();

/** Opens a review and waits until its page receives events. Before that, it would miss a decision. */
async function openListening(url: string): Promise<Page> {
  const { page } = await openPage(browser, "about:blank");
  const events = page.waitForResponse((response) => new URL(response.url()).pathname === "/api/events");
  await page.goto(url);
  await events;
  return page;
}

/** A program that replaces the browser and records each URL. */
async function recorder(folder: string) {
  const program = join(folder, "browser.sh");
  const log = join(folder, "opened.txt");
  await writeFile(program, `#!/bin/sh\necho "$1" >> ${JSON.stringify(log)}\n`);
  await chmod(program, 0o755);
  const opened = async () => (await readFile(log, "utf8").catch(() => "")).split("\n").filter(Boolean);
  return { program, opened };
}

it("the tab of a decided plan shows the next round by itself, and no other tab is opened", async () => {
  const folder = await sandbox();
  const { program, opened } = await recorder(folder);
  const environment = { BROWSER: program };
  const first = await startCommand(["review", "plan"], { stdin: "# Tunnel\n\nDig.\n", folder, environment });
  const url = await first.url();
  await expect.poll(opened).toHaveLength(1);
  const page = await openListening(url);
  await page.locator(".plan").getByRole("heading", { name: "Tunnel" }).waitFor();
  const token = await page.locator('meta[name="x-sallyport-page"]').getAttribute("content");
  expect(token).toMatch(/^[\w-]{20,}$/);
  expect((await first.post("/api/deny", { feedback: "deeper" })).status).toBe(200);
  await first.ended;
  await page.getByRole("heading", { name: "Already decided" }).waitFor();
  const second = await startCommand(["review", "plan"], {
    stdin: "# Tunnel\n\nDig deeper.\n",
    folder,
    environment,
  });
  expect(await second.url()).toBe(url);
  await page.locator(".plan").getByText("Dig deeper.").waitFor();
  expect(await opened()).toHaveLength(1);
  expect((await second.post("/api/approve", {})).status).toBe(200);
  await second.ended;
  await page.close();
  const third = await startCommand(["review", "plan"], {
    stdin: "# Tunnel\n\nFill it.\n",
    folder,
    environment,
  });
  await third.url();
  await expect.poll(opened).toHaveLength(2);
});

it("a program's decision is reported on the page and on stderr", async () => {
  const command = await startCommand(["review", "plan", "--no-open"], { stdin: "# Tunnel\n" });
  const page = await openListening(await command.url());
  await page.locator(".plan").getByRole("heading", { name: "Tunnel" }).waitFor();
  expect((await command.post("/api/approve", {})).status).toBe(200);
  await page.getByText("A program decided this plan").waitFor();
  expect((await command.ended).stderr).toContain("Decided by a program that called the review's port");
});

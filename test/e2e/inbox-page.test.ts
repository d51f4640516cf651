import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { changedRepository, startCodeReview } from "../support/code-review-page.ts";
import { liveAgent } from "../support/live-review.ts";
import { quietPort } from "../support/quiet-port.ts";
import type { TestRepository } from "../support/test-repository.ts";

const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

const browser = await launchBrowserForFile();

/** Starts `sallyport inbox` with the data folder that the repository's reviews use. */
async function startInbox(repository: TestRepository): Promise<string> {
  const ready = join(repository.outside, "inbox.json");
  const port = String(await quietPort());
  const child = spawn(
    process.execPath,
    [COMMAND, "inbox", "--no-open", "--port", port, "--ready-file", ready],
    {
      cwd: repository.root,
      env: { ...repository.environment, SERVICE_HOME: join(repository.outside, "data") },
      stdio: "ignore",
    },
  );
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const url = async () => JSON.parse(await readFile(ready, "utf8").catch(() => "{}")).url;
  await expect.poll(url, { timeout: 60_000 }).toBeTruthy();
  return url();
}

describe("the inbox page", () => {
  it("follows the reviews of this machine live, with a link to each", async () => {
    const repository = await changedRepository();
    const { page, errors, foreignRequests } = await openPage(browser, await startInbox(repository));
    await page.getByText("No review is waiting.").waitFor();
    expect(await violations(page)).toEqual([]);

    const review = await startCodeReview(repository, { flags: ["--live"] });
    const entry = page.locator(".inbox-list .inbox-item");
    await entry.waitFor();
    expect(await entry.locator("a").getAttribute("href")).toBe(review.url);
    expect(await entry.textContent()).toMatch(/Code review.*Live/);
    await expect.poll(() => page.title()).toBe("(1) Inbox: Sallyport");
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

    await liveAgent(repository).run("end");
    await page.getByText("No review is waiting.").waitFor();
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });
});

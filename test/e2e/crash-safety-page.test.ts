import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { expectNothingLost, newTraffic, readDraft } from "../support/crash-traffic.ts";
import { hookEvent } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const REVIEW = ["review", "plan", "--no-open"];

const browser = await launchBrowserForFile();

describe("a page whose server is killed while the person types", () => {
  it.each([1, 2, 3])("restores the typed text, kill %i", async (number) => {
    const folder = await sandbox();
    const input = hookEvent(samplePlan, join(folder, "project"));
    const command = await startCommand(REVIEW, { stdin: input, folder });
    const { page } = await openReview(browser, await command.url());
    const traffic = newTraffic("");
    const isSave = (request: Request) =>
      request.method() === "PUT" && request.url().endsWith("/api/draft") && request.postDataJSON();
    page.on("request", (request) => isSave(request) && traffic.drafts.push(request.postDataJSON()));
    page.on("response", async (response) => {
      if (!isSave(response.request()) || response.status() !== 200) return;
      traffic.acknowledged = Math.max(traffic.acknowledged, response.request().postDataJSON().generation);
      if (traffic.acknowledged >= number) command.child.kill("SIGKILL");
    });
    // A capital letter starts a comment. A lower-case letter would form a word with the command key.
    await page.keyboard.press("g");
    for (let word = 0; command.child.signalCode === null; word += 1) await page.keyboard.type(`Word${word} `);
    const { stdout } = await command.ended;
    await expectNothingLost(folder, traffic, stdout);
    await page.getByText("Can't reach Sallyport.").waitFor();

    const again = await startCommand(REVIEW, { stdin: input, folder });
    const reopened = await openReview(browser, await again.url());
    const textBox = reopened.page.locator(".composer textarea");
    await textBox.waitFor();
    const saved = JSON.stringify((await readDraft(folder))?.content);
    expect(saved).toContain(await textBox.inputValue());
    expect(await textBox.inputValue()).toMatch(/^Word0 /);
  });
});

describe("a page whose server cannot write", () => {
  it("reports it, keeps the typed text, and saves it once there is space", async () => {
    const folder = await sandbox();
    const obstacle = join(folder, "data", "drafts");
    await mkdir(join(folder, "data"));
    await writeFile(obstacle, "in the way");
    const command = await startCommand(REVIEW, { stdin: samplePlan, folder });
    const { page } = await openReview(browser, await command.url());
    // A capital letter starts a comment. A lower-case letter would form a word with the command key.
    await page.keyboard.press("g");
    await page.keyboard.type("Not lost");
    await page.getByText("Your comments are not being saved").waitFor();
    await command.waitForOutput(/Cannot store data in .*drafts/);
    expect(await page.locator(".composer textarea").inputValue()).toBe("Not lost");
    await rm(obstacle);
    await page.getByText(/^Draft saved/).waitFor();
    expect(JSON.stringify((await readDraft(folder))?.content)).toContain("Not lost");
  });
});

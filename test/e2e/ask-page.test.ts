import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { changedRepository, numberCell, openCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHome, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();

/** A model API that repeats the last question. Returns the `review.ask` section for it. */
async function modelApi() {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const content = `You asked: **${messages.at(-1)?.content}** <img src=x>`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, configuration: JSON.stringify({ review: { ask: { base_url: url, model: "small" } } }) };
}

describe("asking a model", () => {
  it("shows the prompt first, keeps the response private, and inserts it into a comment", async () => {
    const { url, configuration } = await modelApi();
    const repository = await changedRepository();
    await repository.write({ "../config.json": configuration });
    const environment = { SERVICE_CONFIG: join(repository.outside, "config.json") };
    const { page, child, errors, foreignRequests } = await openCodeReview(browser, repository, {
      environment,
    });
    await numberCell(page, "src/cart.ts", "new", 30).waitFor();
    await page.locator('[data-path="src/cart.ts"] .code.added').first().click();
    await page.keyboard.press("q");
    const dialog = page.getByRole("dialog");
    await dialog.locator(".ask-prompt[open]", { hasText: `Sent to small at ${url}` }).waitFor();
    expect(await dialog.locator(".ask-prompt pre").textContent()).toContain("discount(price)");
    await dialog.getByLabel("Question").fill("Is it right?");
    // A question that is not sent is kept while the dialog is closed.
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    // It can be sent at once when the dialog is opened again, although the messages are not received again.
    await page.route("**/api/ask/prompt?*", () => {});
    await page.keyboard.press("q");
    expect(await dialog.getByLabel("Question").inputValue()).toBe("Is it right?");
    await page.keyboard.press("Control+Enter");
    await dialog.locator(".ask-exchange strong", { hasText: "Is it right?" }).waitFor();
    expect(await dialog.locator(".ask-exchange img").count()).toBe(0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await page.locator(".comment").count()).toBe(0);

    await page.keyboard.press("q");
    await dialog.getByRole("button", { name: "Insert into a comment" }).click();
    await expect
      .poll(() => page.locator(".comment-open textarea").inputValue())
      .toContain("You asked: **Is it right?**");
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
    child.kill("SIGTERM");
  });

  it("works on a passage of a plan, and is off without a configured model", async () => {
    const { configuration } = await modelApi();
    const home = await makeHome();
    onTestFinished(() => home.remove());
    const plain = await startReview(home, hookEvent(samplePlan, home.path));
    const off = await openReview(browser, plain.url);
    await selectText(off.page, "We accept that for now");
    await off.page.getByRole("toolbar").waitFor();
    expect(await off.page.getByRole("button", { name: "Ask" }).count()).toBe(0);
    plain.child.kill("SIGTERM");
    await plain.ended;

    const folder = join(home.path, ".config", "sallyport");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.json"), configuration);
    const asked = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, asked.url);
    await selectText(page, "We accept that for now");
    await page.getByRole("toolbar").getByRole("button", { name: "Ask" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator(".ask-prompt pre", { hasText: "We accept that for now" }).waitFor();
    await dialog.getByLabel("Question").fill("Why?");
    await page.keyboard.press("Control+Enter");
    await dialog.getByRole("button", { name: "Insert into a comment" }).click();
    await expect.poll(() => page.locator(".composer textarea").inputValue()).toContain("You asked: **Why?**");
    asked.child.kill("SIGTERM");
  });
});

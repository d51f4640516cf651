import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { json } from "../support/fake-upstream.ts";
import { rowsOf, teamDashboard, viewLink } from "../support/team-dashboard.ts";

const dashboard = teamDashboard({ capture: "errors", timeouts: { total: 77 } });
const { call, adminApi, recorded, createKey, openSignedIn } = dashboard;

describe("the dashboard of an admin", () => {
  it("shows the settings in force with their sources and no secret", async () => {
    const { page, errors } = await openSignedIn(dashboard.admin);
    await viewLink(page, "Settings").click();
    const rows = rowsOf(page, "Settings");
    await rows.getByText("timeouts.total").waitFor();
    expect(await rows.filter({ hasText: "timeouts.total" }).textContent()).toContain("77");
    expect(await rows.filter({ hasText: "upstreams.a.api_key" }).textContent()).toContain("[redacted]");
    expect(await rows.filter({ hasText: "timeouts.idle" }).count()).toBe(0);
    await page.getByLabel("Include defaults").check();
    await page.getByLabel("Search").fill("timeouts.idle");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain("default");
    expect(await page.content()).not.toContain("sk-upstream-0123456789");
    expect(errors).toEqual([]);
  });

  it("marks that bodies are kept, and shows those of a call to admins only", async () => {
    const alice = await createKey("alice", { capture: "all" });
    const kept = await call("model-of-alice", alice);
    const bob = await createKey("bob", { capture: "off" });
    dashboard.upstream.respond = json({ type: "error", error: { type: "api_error", message: "no" } }, 400);
    const own = await call("model-of-bob", bob);
    await recorded(2);
    const { page } = await openSignedIn(dashboard.admin);
    await page.getByText("bodies of failed calls and of calls of alice are kept").waitFor();
    await page.goto(`${page.url().split("#")[0]}#/calls/${kept}`);
    const dialog = page.getByRole("dialog", { name: "Call" });
    await dialog.getByText(/^Request, \d+ bytes/).focus();
    await page.keyboard.press("Enter");
    await dialog.getByRole("region", { name: "Request body" }).getByText("model-of-alice").waitFor();
    await dialog.getByText(/^Response, \d+ bytes/).click();
    await dialog.getByRole("region", { name: "Response body" }).getByText("input_tokens").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${page.url().split("#")[0]}#/calls/${own}`);
    await dialog.getByText("None: the bodies were not captured").waitFor();

    const others = await openSignedIn(alice);
    await others.page.goto(`${others.page.url().split("#")[0]}#/calls/${kept}`);
    await others.page.getByRole("dialog", { name: "Call" }).getByText(kept).waitFor();
    expect(await others.page.getByText("Captured bodies").count()).toBe(0);
    expect(await others.page.getByText("Capture is on").count()).toBe(0);
  });

  it("lists changes of keys and teams, and sets tags and capture of a key", async () => {
    const { page } = await openSignedIn(dashboard.admin);
    await viewLink(page, "Keys").click();
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("carol");
    await dialog.getByRole("button", { name: "Add a tag" }).click();
    await dialog.getByLabel("Name of tag 1").fill("cost_center");
    await dialog.getByLabel("Value of tag 1").fill("42");
    await dialog.getByLabel("Keep bodies of its calls").selectOption("Of failed calls");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("Secret", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await rowsOf(page, "Keys").getByText("cost_center=42").waitFor();
    const { key } = await adminApi("GET", "/keys/carol");
    expect(key).toMatchObject({ tags: { cost_center: "42" }, capture: "errors" });
    for (let number = 0; number < 50; number += 1) await createKey(`key-${number}`);
    await viewLink(page, "Audit").click();
    await expect.poll(() => rowsOf(page, "Audit").count()).toBe(50);
    expect(await rowsOf(page, "Audit").first().textContent()).toMatch(/key\.create.*key-49.*admin/);
    await page.getByRole("button", { name: "Older" }).click();
    await rowsOf(page, "Audit").getByText("name: carol").waitFor();
  });

  it.each(["light", "dark"] as const)("breaks no accessibility rule: %s, wide and narrow", async (theme) => {
    await createKey("alice", { tags: { cost_center: "42" } });
    const { page } = await openSignedIn(dashboard.admin, { theme });
    for (const [name, text] of Object.entries({ Audit: "key.create", Settings: "timeouts.total" })) {
      await viewLink(page, name).click();
      await page.locator("tbody").getByText(text).first().waitFor();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 740 });
        expect([name, width, await violations(page)]).toEqual([name, width, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
  });
});

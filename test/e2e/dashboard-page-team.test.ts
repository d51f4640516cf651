import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { json } from "../support/fake-upstream.ts";
import { rowsOf as rows, teamDashboard, viewLink as view } from "../support/team-dashboard.ts";

const dashboard = teamDashboard();
const { startProxy, stopProxy, call, adminApi, recorded, createKey, openSignedIn } = dashboard;

/** The value of a figure above the charts. */
const total = (page: Page, name: string) =>
  page.locator(".summary div", { has: page.getByText(name, { exact: true }) }).locator("dd");

describe("the dashboard of an admin", () => {
  it("shows totals, charts with a table, and groups of the chosen range", async () => {
    for (const model of ["claude-sonnet-5", "claude-sonnet-5", "claude-opus-5"]) await call(model);
    dashboard.upstream.respond = json({ type: "error", error: { type: "api_error", message: "no" } }, 500);
    await call("claude-haiku-5");
    await recorded(4);
    const { page, errors, foreignRequests } = await openSignedIn(dashboard.admin);
    await expect.poll(() => total(page, "Calls").textContent()).toBe("4");
    expect(await total(page, "Errors").textContent()).toContain("25 %");
    expect(await total(page, "Tokens in").textContent()).toBe("3.0k");
    await expect.poll(() => rows(page, "By model").first().textContent()).toContain("claude-sonnet-5");

    await page.locator("figure", { hasText: "Calls" }).first().locator("summary").click();
    const table = page.getByRole("region", { name: "Table of Calls" });
    expect(await table.locator("tbody tr").first().textContent()).toMatch(/4$/);

    await page.getByText("1 h", { exact: true }).click();
    await page.getByText("By model", { exact: true }).first().click();
    await page.locator(".legend").first().getByText("claude-opus-5").waitFor();
    expect(page.url()).toMatch(/#\/overview\?|#\/\?/);
    expect(page.url()).toContain("range=1h");

    await rows(page, "By model").getByRole("link", { name: "claude-opus-5" }).click();
    await expect.poll(() => rows(page, "Calls").count()).toBe(1);
    expect([errors, foreignRequests]).toEqual([[], []]);
  });

  it("searches, filters and pages calls, and shows one with its attempts, by keyboard", async () => {
    for (let number = 0; number < 103; number += 1) await call(`model-${number % 2}`);
    dashboard.upstream.respond = json(
      { type: "error", error: { type: "overloaded_error", message: "Full up" } },
      529,
    );
    const failed = await call("<img src=x onerror=alert(1)>");
    await recorded(100);
    await expect.poll(async () => (await adminApi("GET", "/calls?limit=1000"))["calls"]).toHaveLength(104);
    const { page } = await openSignedIn(dashboard.admin);
    await view(page, "Calls").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page, "Calls").count()).toBe(100);
    await page.getByRole("button", { name: "Older" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page, "Calls").count()).toBe(4);
    await page.getByText("Page 2, 4 calls").waitFor();
    await page.getByRole("button", { name: "Newer" }).click();
    await expect.poll(() => rows(page, "Calls").count()).toBe(100);

    await page.getByLabel("Errors only").focus();
    await page.keyboard.press("Space");
    await expect.poll(() => rows(page, "Calls").count()).toBe(1);
    expect(await page.locator("img").count()).toBe(0);
    await page.keyboard.press("Space");
    await page.getByLabel("Search").fill("MODEL-1");
    await expect.poll(() => rows(page, "Calls").count()).toBe(51);
    await page.getByLabel("Search").fill(failed);
    await expect.poll(() => rows(page, "Calls").count()).toBe(1);

    await rows(page, "Calls").getByRole("link").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Call" });
    await dialog.getByText(failed).waitFor();
    expect(await dialog.textContent()).toContain("529");
    expect(page.url()).toContain(failed);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.goBack();
    await dialog.getByText(failed).waitFor();
  });

  it("creates, changes, rotates and revokes keys, and shows a secret once and what is left", async () => {
    const { page } = await openSignedIn(dashboard.admin);
    await view(page, "Keys").click();
    await page.getByRole("button", { name: "Create team" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("search");
    await dialog.getByLabel("Requests per minute").fill("600");
    await page.keyboard.press("Enter");
    await rows(page, "Teams").getByText("search").waitFor();
    await rows(page, "Teams").getByText("600 of 600 requests").waitFor();

    await page.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("Name").fill("alice");
    await dialog.getByLabel("Team").selectOption("search");
    await dialog.getByRole("button", { name: "Add a budget" }).click();
    await dialog.getByLabel("Budget in US dollars").fill("20");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    expect(secret).toMatch(/^sk-sally-/);
    await dialog.getByRole("button", { name: "Copy" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    expect(page.url()).not.toContain(secret);
    await rows(page, "Keys").getByText("$20.00 of $20.00 a month").waitFor();

    await page.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("Name").fill("alice");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Change alice" }).click();
    await dialog.getByRole("button", { name: "Remove budget 1" }).click();
    await dialog.getByLabel("Models").fill("claude-*");
    await dialog.getByRole("button", { name: "Save" }).click();
    await rows(page, "Keys").getByText("claude-*").waitFor();
    const { key } = await adminApi("GET", "/keys/alice");
    expect(key).toMatchObject({ team: "search", models: ["claude-*"], limits: {} });

    await page.getByRole("button", { name: "Rotate alice" }).click();
    await dialog.getByLabel("Earlier secrets").selectOption("at once");
    await dialog.getByRole("button", { name: "Rotate key" }).click();
    const second = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    expect(second).not.toBe(secret);
    await page.keyboard.press("Escape");
    expect(await call("claude-sonnet-5", second)).not.toBe("");

    await page.getByRole("button", { name: "Revoke alice" }).click();
    await dialog.getByText("cannot be undone").waitFor();
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("button", { name: "Revoke alice" }).waitFor({ state: "detached" });
    await page.getByLabel("Include revoked keys").check();
    await rows(page, "Keys").getByText("revoked").waitFor();
  });
});

describe("the dashboard of a key", () => {
  it("shows the key's own calls and nothing of others", async () => {
    const [alice, bob] = [await createKey("alice"), await createKey("bob")];
    await call("model-of-alice", alice);
    const others = await call("model-of-bob", bob);
    await recorded(2);
    const { page } = await openSignedIn(alice);
    await expect.poll(() => total(page, "Calls").textContent()).toBe("1");
    expect(await view(page, "Now").count()).toBe(0);
    expect(await page.getByText("By key").count()).toBe(0);
    await view(page, "Calls").click();
    await expect.poll(() => rows(page, "Calls").count()).toBe(1);
    expect(await page.content()).not.toContain("bob");
    await page.goto(`${page.url().split("#")[0]}#/calls/${others}`);
    await page.getByText("There is no call").waitFor();
    expect(await page.content()).not.toContain("model-of-bob");
  });

  it("asks for a key again once it is revoked", async () => {
    const alice = await createKey("alice");
    const { page } = await openSignedIn(alice);
    await view(page, "Calls").waitFor();
    await adminApi("DELETE", "/keys/alice");
    await view(page, "Calls").click();
    await page.getByText("That key is no longer valid.").waitFor();
    expect(await page.getByLabel("Key", { exact: true }).inputValue()).toBe("");
  });
});

describe("the dashboard", () => {
  it("keeps the last figures while the proxy cannot be reached, and finds it again", async () => {
    await call("claude-sonnet-5");
    await recorded(1);
    const { page } = await openSignedIn(dashboard.admin);
    await expect.poll(() => total(page, "Calls").textContent()).toBe("1");
    const port = Number(new URL(dashboard.url).port);
    await stopProxy();
    await page.getByText("7 d", { exact: true }).click();
    await page.getByText("Not connected to the proxy").waitFor();
    expect(await total(page, "Calls").textContent()).toBe("1");
    await startProxy(port);
    await page.getByText("Not connected to the proxy").waitFor({ state: "detached" });
    await expect.poll(() => total(page, "Calls").textContent()).toBe("1");
  });

  it("says in each view that the proxy cannot be reached", async () => {
    const { page } = await openSignedIn(dashboard.admin);
    await page.getByRole("heading", { name: "By model" }).waitFor();
    await dashboard.stopProxy();
    for (const name of ["Calls", "Keys", "Upstreams", "Now", "Audit", "Settings"]) {
      await view(page, name).click();
      const alert = page.getByRole("alert").filter({ hasText: "The proxy cannot be reached." });
      await alert.first().waitFor();
      expect(await violations(page)).toEqual([]);
    }
  });

  it.each(["light", "dark"] as const)("breaks no accessibility rule: %s, wide and narrow", async (theme) => {
    await adminApi("POST", "/teams", { name: "search", limits: { rpm: 60 } });
    const limits = { rpm: 60, budgets: [{ usd: 20, period: "day" }] };
    const alice = await createKey("alice", { team: "search", limits });
    await call("claude-sonnet-5", alice);
    await recorded(1);
    const { page } = await openSignedIn(dashboard.admin, { theme });
    const shown = {
      Overview: "claude-sonnet-5",
      Calls: "claude-sonnet-5",
      Keys: "alice",
      Upstreams: "available",
    };
    for (const [name, text] of Object.entries({ ...shown, Now: "claude-sonnet-5" })) {
      await view(page, name).click();
      await page.locator("tbody").getByText(text).first().waitFor();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 740 });
        expect([name, width, await violations(page)]).toEqual([name, width, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
  });
});

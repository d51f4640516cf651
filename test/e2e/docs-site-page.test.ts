import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import fastifyStatic from "@fastify/static";
import fastify from "fastify";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrokenLinks } from "../../scripts/docs/find-broken-links.mjs";
import { violations } from "../support/accessibility.ts";
import { launchBrowser, newContext } from "../support/browser.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let browser: Browser | undefined;
let folder: string;
let site: string;
let url: string;
const server = fastify();

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-docs-site-")));
  // Another version, as in a folder that is published again.
  await mkdir(join(folder, "0.0.9"));
  await writeFile(join(folder, "0.0.9/index.html"), "<h1>Version 0.0.9</h1>");
  const script = resolve(import.meta.dirname, "../../scripts/docs/build-site.mjs");
  const built = await runProgram([process.execPath, script, "--out", folder], {
    cwd: folder,
    env: process.env,
  });
  expect(built.stderr).toMatch(/^\d+ pages, 0 broken links$/m);
  expect(built.code).toBe(0);
  site = resolve(built.stdout.trim(), "..");
  await server.register(fastifyStatic, { root: folder });
  url = await server.listen({ port: 0, host: "127.0.0.1" });
  browser = await launchBrowser();
});
afterAll(async () => {
  await server.close();
  await browser?.close();
  await rm(folder, { recursive: true });
});

async function open(path: string, options: Parameters<typeof newContext>[1] = {}): Promise<Page> {
  const page = await (await newContext(await launchBrowser(), options)).newPage();
  await page.goto(`${url}/${path}`);
  return page;
}

/** Waits for the response of a search, and expects that the index was loaded. */
async function expectResponse(page: Page) {
  const results = page.locator("#results");
  await results.waitFor();
  expect(await results.textContent()).not.toContain("cannot be loaded");
}

const inSite = (path: string) => `${site.slice(folder.length + 1)}/${path}`;

describe("the documentation site", () => {
  it("opens the newest version, and offers the others", async () => {
    const page = await open("index.html");
    await page.getByRole("heading", { name: "Documentation" }).waitFor();
    await page.getByLabel("Version").selectOption("0.0.9");
    await page.getByRole("heading", { name: "Version 0.0.9" }).waitFor();
  });

  it("lists its pages for language models, as Markdown", async () => {
    const list = await (await fetch(`${url}/${inSite("llms.txt")}`)).text();
    const paths = [...list.matchAll(/^- \[.+\]\((.+)\)$/gm)].map(([, path = ""]) => path);
    expect(paths).toContain("docs/api/review.md");
    const texts = await Promise.all(
      paths.map(async (path) => (await fetch(`${url}/${inSite(path)}`)).text()),
    );
    expect(texts.filter((text) => !/^# /m.test(text))).toEqual([]);
    expect(paths.length).toBe(
      (await readdir(site, { recursive: true })).filter((name) => name.endsWith(".md")).length - 1,
    );
  });

  it("finds a setting, and opens its section with the keyboard", async () => {
    const page = await open(inSite("docs/install.html"));
    await page.keyboard.press("/");
    await page.keyboard.type("managed_settings");
    await expectResponse(page);
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/.*\.html/);
    await page.locator("main", { hasText: "managed_settings" }).waitFor();
  });

  it("is searched without a server, when a page is opened from a file", async () => {
    const page = await (await newContext(await launchBrowser())).newPage();
    await page.goto(pathToFileURL(join(site, "docs/install.html")).href);
    await page.keyboard.press("/");
    await page.keyboard.type("managed_settings");
    await expectResponse(page);
    await page.locator("#results a").first().click();
    await page.waitForURL(/^file:.*\/docs\/.*\.html/);
    await page.locator("main", { hasText: "managed_settings" }).waitFor();
  });

  it("reports that nothing was found", async () => {
    const page = await open(inSite("index.html"));
    await page.getByRole("searchbox").fill("ΩΩΩ");
    await expectResponse(page);
    await page.getByText("Nothing found for “ΩΩΩ”").waitFor();
  });

  it("has the routes and members of the admin API", async () => {
    const page = await open(inSite("docs/api/admin.html"));
    const section = page.getByRole("heading", { name: "POST /api/admin/v1/keys", exact: false }).first();
    await section.waitFor();
    await page.getByRole("cell", { name: "limits", exact: true }).first().waitFor();
    const link = page.getByRole("link", { name: "OpenAPI 3.1 document" });
    const document = await page.request.get(
      new URL((await link.getAttribute("href")) ?? "", page.url()).href,
    );
    expect((await document.json()).openapi).toBe("3.1.0");
  });

  it.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("has no violation that axe finds, in %s colors and %i px", async (colorScheme, width) => {
    for (const path of ["index.html", "docs/reference/proxy.html", "docs/api/own.html"]) {
      const page = await open(inSite(path), { colorScheme, viewport: { width, height: 800 } });
      expect(await violations(page), path).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(width);
    }
  });

  it("is not built with a broken link", async () => {
    const broken = await temporaryFolder();
    await writeFile(
      join(broken, "a.html"),
      '<p id="x"><a href="a.html#x">1</a><a href="#y">2</a><img src="b.png">',
    );
    expect(findBrokenLinks(broken)).toEqual([
      { page: "a.html", href: "#y" },
      { page: "a.html", href: "b.png" },
    ]);
  });
});

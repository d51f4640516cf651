import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview } from "../support/code-review-page.ts";
import { PNG, plainPng } from "../support/images.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

describe("changed images", () => {
  it("are compared side by side, with a divider that follows pointer and keys, or by opacity", async () => {
    const repository = await testRepository({ "logo.png": plainPng(200, 100, [200, 0, 0]) });
    await repository.write({ "logo.png": plainPng(100, 150, [0, 0, 200]) });
    const { page, child, errors } = await openCodeReview(browser, repository, { width: 1200, height: 800 });
    const image = page.locator('[data-path="logo.png"]');
    await expect
      .poll(() => image.locator("figcaption").allInnerTexts())
      .toEqual([
        expect.stringMatching(/^before, 200 × 100, \d+ bytes$/),
        expect.stringMatching(/^after, 100 × 150, \d+ bytes$/),
      ]);

    const widths = await image
      .locator("figure img")
      .evaluateAll((all) => all.map((each) => each.clientWidth));
    expect(widths).toEqual([200, 100]);

    await image.getByText("Swipe", { exact: true }).click();
    const stage = image.locator(".image-stage");
    const box = await stage.boundingBox();
    // Both images in the same scale: as wide as the wider one and as high as the higher one.
    expect([box?.width, box?.height].map((size) => Math.round(size ?? 0))).toEqual([200, 150]);
    expect((await stage.getByAltText("logo.png after").boundingBox())?.width).toBeCloseTo(100, 0);
    await stage.click({ position: { x: 50, y: 20 } });
    const clips = () =>
      stage.locator("> div").evaluateAll((layers) => layers.map((layer) => getComputedStyle(layer).clipPath));
    await expect.poll(clips).toEqual(["inset(0px 75% 0px 0px)", "inset(0px 0px 0px 25%)"]);
    await image.getByLabel("Divider between before and after").press("ArrowRight");
    await expect.poll(clips).toEqual(["inset(0px 74% 0px 0px)", "inset(0px 0px 0px 26%)"]);

    await image.getByText("Onion skin", { exact: true }).click();
    await image.getByLabel("Opacity of the image after the change").fill("30");
    const opacities = () =>
      stage.locator("> div").evaluateAll((layers) => layers.map((layer) => getComputedStyle(layer).opacity));
    await expect.poll(opacities).toEqual(["0.7", "0.3"]);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("fit beside each other and in height, and a version that is not an image is reported", async () => {
    const sizes = { "big.png": [1_500, 900], "icon.png": [16, 16], "tall.png": [4, 900] } as const;
    const images = (color: readonly [number, number, number]) =>
      Object.fromEntries(
        Object.entries(sizes).map(([path, [width, height]]) => [path, plainPng(width, height, color)]),
      );
    const repository = await testRepository({
      ...images([200, 0, 0]),
      "was.png": PNG,
      "z.png": "\0no image",
    });
    const broken = Buffer.concat([PNG.subarray(0, 8), Buffer.from("\0broken")]);
    await repository.write({ ...images([0, 0, 200]), "was.png": broken, "z.png": "\0none either" });
    const { page, child } = await openCodeReview(browser, repository, { width: 1200, height: 3_000 });
    const file = (path: string) => page.locator(`[data-path="${path}"]`);
    await expect.poll(() => file("big.png").locator("figure").count()).toBe(2);
    // While only one image is loaded, the other is lower.
    const tops = () =>
      file("big.png")
        .locator("img")
        .evaluateAll((all) => new Set(all.map((image) => image.getBoundingClientRect().top)).size);
    await expect.poll(tops).toBe(1);
    await file("was.png").getByText("The image after the change cannot be displayed.").waitFor();
    expect(await file("z.png").getByText("cannot be displayed").count()).toBe(0);

    await file("big.png").getByText("Swipe", { exact: true }).click();
    const boxOf = async (path: string, part: string) => {
      const { width = 0, height = 0 } = (await file(path).locator(part).boundingBox()) ?? {};
      return [Math.round(width), Math.round(height)];
    };
    await expect.poll(() => boxOf("icon.png", ".image-stage")).toEqual([192, 192]);
    await expect.poll(async () => (await boxOf("tall.png", ".image-stage"))[1]).toBeLessThan(417);
    expect((await boxOf("tall.png", "input[type=range]"))[0]).toBe(192);
    child.kill("SIGTERM");
  });
});

describe("binary files", () => {
  it("show their sizes, which are requested once, when the first one is in view", async () => {
    const binary = (length: number) => Buffer.concat([Buffer.from([0]), Buffer.alloc(length - 1, 7)]);
    const repository = await testRepository({ "z/a.bin": binary(12_400), "z/gone.bin": binary(5) });
    await repository.git("rm", "--quiet", "z/gone.bin");
    await repository.write({
      "a/long.txt": "line\n".repeat(2_000),
      "z/a.bin": binary(13_100),
      "z/fresh.bin": binary(2_500_000),
    });
    const { page, child, errors } = await openCodeReview(browser, repository);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.locator('[data-path="a/long.txt"] .code-text').first().waitFor();
    expect(requests).not.toContain("/api/diff/sizes");
    await page.keyboard.press("End");
    const notice = (path: string) => page.locator(`[data-path="${path}"] .notice-row`);
    await expect
      .poll(() => notice("z/a.bin").innerText())
      .toBe("A binary file was changed. Size: 12.4 kB → 13.1 kB.");
    expect(await notice("z/gone.bin").innerText()).toBe("A binary file was deleted. Size: 5 bytes.");
    expect(await notice("z/fresh.bin").innerText()).toBe("A binary file was added. Size: 2.5 MB.");
    expect(requests.filter((path) => path === "/api/diff/sizes")).toHaveLength(1);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});

const HOSTILE_SVG = (color: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">
  <script>parent.stolen = true; document.title = "stolen";</script>
  <image href="http://localhost:1/tracker.png" width="10" height="10"/>
  <rect width="80" height="40" fill="${color}" onload="parent.stolen = true"/>
</svg>\n`;

describe("previews", () => {
  it("show a Markdown file before and after the change, without its scripts and remote images", async () => {
    const repository = await testRepository({
      "docs/guide.md": "# Guide\n\nOld words.\n",
      "run.ts": "run();\n",
    });
    await repository.write({
      "docs/guide.md":
        "# Guide\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>window.stolen = true</script>\n\n![x](http://localhost:1/x.png)\n",
      "run.ts": "run(1);\n",
    });
    const { page, child, errors } = await openCodeReview(browser, repository);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    expect(await page.getByRole("button", { name: /^Preview of/ }).count()).toBe(1);
    await page.getByRole("button", { name: "Preview of docs/guide.md" }).click();
    const dialog = page.getByRole("dialog", { name: "Preview of docs/guide.md" });
    await dialog.getByRole("cell", { name: "2" }).waitFor();
    expect(await dialog.getByText("Old words.").count()).toBe(0);
    await dialog.getByText("Side by side", { exact: true }).click();
    await dialog.getByText("Old words.").waitFor();
    expect(await dialog.getByRole("heading", { name: "Guide", level: 1 }).count()).toBe(2);
    expect(await page.evaluate(() => "stolen" in window)).toBe(false);
    expect(requests.filter((url) => url.includes("localhost:1/"))).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("open by a button that a phone shows too, in a dialog that fits", async () => {
    const repository = await testRepository({ "documents/reference/guide.md": "# Guide\n" });
    await repository.write({ "documents/reference/guide.md": "# Better guide\n" });
    const { page, child } = await openCodeReview(browser, repository, { width: 360, height: 640 });
    await page.getByRole("button", { name: "Preview of documents/reference/guide.md" }).click();
    await page.getByRole("heading", { name: "Better guide", level: 1 }).waitFor();
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(beyond).toBeLessThanOrEqual(0);
    // The title is a long word, which leaves room for the button to close the dialog.
    const dialog = await page.getByRole("dialog").boundingBox();
    const close = await page.getByRole("button", { name: "Close" }).boundingBox();
    expect((close?.x ?? 999) + (close?.width ?? 0)).toBeLessThan((dialog?.x ?? 0) + (dialog?.width ?? 0));
    child.kill("SIGTERM");
  });

  it("draw an SVG as an image that runs no script and loads nothing", async () => {
    const bomb = (color: string) => `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${HOSTILE_SVG(color)}`;
    const repository = await testRepository({ "logo.svg": HOSTILE_SVG("red"), "both.svg": bomb("red") });
    await repository.write({
      "logo.svg": HOSTILE_SVG("blue"),
      "bomb.svg": bomb("green"),
      "both.svg": bomb("blue"),
    });
    const { page, child } = await openCodeReview(browser, repository);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const title = await page.title();
    await page.getByRole("button", { name: "Preview of logo.svg" }).click();
    const after = page.getByAltText("logo.svg after the change");
    await expect.poll(() => after.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(80);
    await page.getByAltText("logo.svg before the change").waitFor();
    expect(await page.evaluate(() => "stolen" in window)).toBe(false);
    expect(await page.title()).toBe(title);
    expect(requests.filter((url) => url.includes("tracker"))).toEqual([]);
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Preview of bomb.svg" }).click();
    await page.getByText("One version is not shown").waitFor();
    expect(await page.getByAltText("bomb.svg after the change").count()).toBe(0);
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Preview of both.svg" }).click();
    await page.getByText("Neither version is shown").waitFor();
    expect(await page.getByAltText(/^both\.svg/).count()).toBe(0);
    child.kill("SIGTERM");
  });
});

describe("the palette", () => {
  it("lists files and actions before moves, and finds both by words", async () => {
    const repository = await testRepository({ "src/theme.ts": "a();\n" });
    await repository.write({ "src/theme.ts": "a(1);\n", "src/other.ts": "b();\n".repeat(200) });
    const { page, child, errors } = await openCodeReview(browser, repository, { height: 500 });
    await page.keyboard.press("Control+k");
    const list = page.getByRole("listbox", { name: "Results" });
    await list.waitFor();
    expect(
      await list
        .getByRole("group")
        .evaluateAll((groups) => groups.map((group) => group.getAttribute("aria-label"))),
    ).toEqual(["Files", "Actions", "Move"]);
    expect(await list.getByRole("option").first().innerText()).toBe("src/other.ts");

    const field = page.getByRole("combobox", { name: "File or command" });
    const before = await field.boundingBox();
    await field.fill("dark th");
    await expect.poll(() => list.getByRole("option").count()).toBe(1);
    expect(await field.boundingBox()).toEqual(before);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "File or command" }).fill("theme.ts");
    expect(await list.getByRole("option").first().innerText()).toBe("src/theme.ts");
    await page.keyboard.press("Enter");
    const header = page.locator('[data-path="src/theme.ts"] .file-header');
    await expect.poll(async () => ((await header.boundingBox())?.y ?? 999) < 480).toBe(true);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { plainPng } from "../support/images.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

/** Opens a plan, and attaches an image of one color, shot.png, to its general comment. */
async function attachImage(plan: string, color: [number, number, number] = [255, 255, 255]) {
  const review = await startReview(home, hookEvent(plan, home.path));
  const { page, errors } = await openReview(browser, review.url);
  const file = join(home.path, "shot.png");
  await writeFile(file, plainPng(300, 200, color));
  await page.keyboard.press("g");
  await page.locator(".composer input[type=file]").setInputFiles(file);
  return {
    review,
    page,
    errors,
    draw: page.getByRole("button", { name: "Draw on shot.png" }),
    use: page.getByRole("button", { name: "Use drawing" }),
    canvas: page.locator("canvas"),
  };
}

it("a drawing has text, is undone by Ctrl+Z, and is kept by Escape and by Discard with Undo", async () => {
  const { review, page, errors, draw, use, canvas } = await attachImage("# Draw\n\nText.\n");
  /** The number of pixels that are not white. */
  const inked = () =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      const data = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data;
      return Array.from(data ?? []).reduce((sum, value) => sum + (value < 255 ? 1 : 0), 0);
    });
  const stroke = async (y: number) => {
    const box = await canvas.boundingBox();
    if (!box) throw new Error("no canvas");
    await page.mouse.move(box.x + 20, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + y, { steps: 3 });
    await page.mouse.up();
  };

  await draw.click();
  await canvas.waitFor();
  await stroke(20);
  const one = await inked();
  expect(one).toBeGreaterThan(0);
  await stroke(60);
  expect(await inked()).toBeGreaterThan(one);
  await page.keyboard.press("Control+z");
  await expect.poll(inked).toBe(one);
  await page.keyboard.press("Control+z");
  await expect.poll(inked).toBe(0);
  expect(await use.isDisabled()).toBe(true);

  await page.getByText("Text", { exact: true }).last().click();
  await canvas.click({ position: { x: 40, y: 60 } });
  await page.getByLabel("Text on the image").fill("Here");
  // In the field, the key is the field's: the text stays on the image.
  await page.keyboard.press("Control+z");
  await page.getByLabel("Text on the image").fill("Here");
  await page.keyboard.press("Enter");
  await expect.poll(inked).toBeGreaterThan(0);
  const written = await inked();

  await page.keyboard.press("Escape");
  await canvas.waitFor({ state: "detached" });
  await page.getByText("Drawing kept").waitFor();
  await draw.click();
  await expect.poll(inked).toBe(written);

  await page.getByRole("button", { name: "Discard", exact: true }).last().click();
  await page.getByText("Drawing discarded").waitFor();
  await page.locator(".toast").last().getByRole("button", { name: "Undo" }).click();
  await draw.click();
  await expect.poll(inked).toBe(written);
  expect(errors).toEqual([]);
  review.child.kill("SIGTERM");
  await review.ended;
});

it("a drawing is kept if the browser cannot create its image or the upload fails", async () => {
  const { review, page, draw, use, canvas } = await attachImage("# Keep\n\nText.\n");
  await draw.click();
  await page.getByText("Text", { exact: true }).last().click();
  await canvas.click({ position: { x: 40, y: 60 } });
  await page.getByLabel("Text on the image").fill("Here");
  await page.keyboard.press("Enter");

  await page.evaluate(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = (callback) => {
      HTMLCanvasElement.prototype.toBlob = toBlob;
      callback(null);
    };
  });
  await use.click();
  await page.getByRole("alert").filter({ hasText: "Drawing not attached" }).waitFor();
  expect(await canvas.count()).toBe(1);

  await page.route("**/api/upload*", (route) => route.abort());
  await use.click();
  await page.getByText("shot-marked.png was not uploaded").first().waitFor();
  await page.unroute("**/api/upload*");
  await draw.click();
  await expect.poll(() => use.isEnabled()).toBe(true);
  await canvas.waitFor();
  await use.click();
  await page.getByRole("button", { name: "Draw on shot-marked.png" }).waitFor();
  expect(await draw.count()).toBe(0);
  review.child.kill("SIGTERM");
  await review.ended;
});

it("the icons of an attached image leave most of it visible", async () => {
  const { review, page } = await attachImage("# Thumbnail\n\nText.\n", [0, 0, 200]);
  const thumbnail = page.locator(".composer .thumbnail");
  const image = thumbnail.locator("img");
  await image.waitFor();
  const covered = await thumbnail.evaluate((element) => {
    const box = element.querySelector("img")?.getBoundingClientRect() ?? new DOMRect();
    const icons = [...element.querySelectorAll("button")].map((button) => button.getBoundingClientRect());
    const overlap = icons.reduce((sum, icon) => {
      const width = Math.min(box.right, icon.right) - Math.max(box.left, icon.left);
      const height = Math.min(box.bottom, icon.bottom) - Math.max(box.top, icon.top);
      return sum + Math.max(0, width) * Math.max(0, height);
    }, 0);
    return overlap / (box.width * box.height);
  });
  expect(covered).toBeLessThan(0.5);
  review.child.kill("SIGTERM");
  await review.ended;
});

it("a canceled stroke is removed, and an image that cannot be loaded is reported", async () => {
  const { review, page, draw, use, canvas } = await attachImage("# Cancel\n\nText.\n");
  await draw.click();
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  if (!box) throw new Error("no canvas");
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 20);
  await canvas.dispatchEvent("pointercancel", { pointerId: 1 });
  await page.mouse.move(box.x + 120, box.y + 60);
  await page.mouse.up();
  expect(await use.isDisabled()).toBe(true);
  await page.keyboard.press("Escape");

  await page.route("**/api/image*", (route) => route.abort());
  await page.evaluate(() => {
    const { src } = Object.getOwnPropertyDescriptors(HTMLImageElement.prototype);
    // The browser has the image in its cache.
    Object.defineProperty(HTMLImageElement.prototype, "src", {
      ...src,
      set(this: HTMLImageElement, url: string) {
        src.set?.call(this, `${url}&again`);
      },
    });
  });
  await draw.click();
  await page.getByRole("alert").filter({ hasText: "Cannot load shot.png" }).waitFor();
  review.child.kill("SIGTERM");
  await review.ended;
});

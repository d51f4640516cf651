import type { Page } from "playwright-core";

/** Saves a review as one HTML file through the page's menu. Resolves to `path`. */
export async function savePage(page: Page, path: string): Promise<string> {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as one HTML file" }).click();
  await (await saving).saveAs(path);
  return path;
}

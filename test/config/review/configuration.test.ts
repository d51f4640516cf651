import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadReviewConfiguration } from "../../../src/config/review/configuration.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DEFAULTS = { sharing: true, plan_save: { enabled: true } };

async function load(text: string) {
  const path = join(await temporaryFolder(), "config.json");
  await writeFile(path, text);
  return loadReviewConfiguration({ SERVICE_CONFIG: path });
}

describe("the review section of the configuration", () => {
  it("need not be there, nor the file", async () => {
    const home = await temporaryFolder();
    expect(await loadReviewConfiguration({ XDG_CONFIG_HOME: home })).toEqual(DEFAULTS);
    expect(await load('{"proxy": {"anything": 1}} // comment')).toEqual(DEFAULTS);
  });

  it("is read from the person's own file", async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, "sallyport"));
    await writeFile(join(home, "sallyport", "config.json"), '{"review": {"sharing": false,}}');
    expect(await loadReviewConfiguration({ XDG_CONFIG_HOME: home })).toEqual({ ...DEFAULTS, sharing: false });
  });

  it("says where to save", async () => {
    const review = { plan_save: { enabled: false, folder: "~/plans" } };
    expect(await load(JSON.stringify({ review }))).toMatchObject(review);
  });

  it.each([
    ['{\n"review": {\n"sharing": "no"}}', /config\.json:3: review\.sharing/],
    ['{"review": {"plan_save": {"path": "x"}}}', /plan_save\.path: unknown key/],
    ['{"review": ', /not valid JSON/],
  ])("is refused with file, line and key: %j", async (text, message) => {
    await expect(load(text)).rejects.toThrowError(expect.objectContaining({ code: "configuration" }));
    await expect(load(text)).rejects.toThrow(message);
  });

  it("must be there where it is named", async () => {
    const missing = loadReviewConfiguration({ SERVICE_CONFIG: "/no/such/config.json" });
    await expect(missing).rejects.toThrow(/no such file/);
  });
});

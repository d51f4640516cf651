import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { docs } from "../../src/cli/docs.ts";
import { root } from "../support/documents.ts";

/** Runs `sallyport docs` in the source tree and returns its result. */
async function print(name?: string, json = false): Promise<string> {
  let printed = "";
  const result = async (text: string) => {
    printed = text;
    return true;
  };
  const output = { note: () => {}, result, interactive: false, lostResult: false };
  expect(await docs(name, { json }, output, join(root, "src/cli"))).toBe(0);
  return printed;
}

describe("sallyport docs", () => {
  it("lists the pages with their titles", async () => {
    expect(await print()).toMatch(/^how-to\/troubleshoot +Find out why something does not work$/m);
    const { pages } = JSON.parse(await print(undefined, true));
    expect(pages).toContainEqual({ page: "install", title: "Install, upgrade, uninstall" });
  });

  it.each(["how-to/troubleshoot", "troubleshoot", "troubleshoot.md", "docs/how-to/troubleshoot.md"])(
    "finds a page by the name %s",
    async (name) => {
      const text = await print(name);
      expect(text).toMatch(/^# Find out why something does not work\n/);
      expect(JSON.parse(await print(name, true))).toMatchObject({ page: "how-to/troubleshoot", text });
    },
  );

  it("prints the page of the top folder if another page has its name too", async () => {
    expect(await print("README")).toMatch(/^# Documentation\n/);
  });

  it.each([
    [
      "trobleshoot",
      'there is no page "trobleshoot"',
      'Did you mean "troubleshoot"? To list all pages: sallyport docs',
    ],
    [
      "translation",
      "explanation/translation and reference/translation end in",
      "To list all pages: sallyport docs",
    ],
    ["../package", 'there is no page "../package"', "To list all pages: sallyport docs"],
  ])("refuses %s and names what there is", async (name, message, hint) => {
    await expect(print(name)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(message),
      hint,
    });
  });

  it("names the folder that cannot be read", async () => {
    const output = { note: () => {}, result: async () => true, interactive: false, lostResult: false };
    await expect(docs(undefined, { json: false }, output, "/nowhere/a/b")).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringContaining("/nowhere/docs"),
    });
  });
});

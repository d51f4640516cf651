import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { vendorNames, vendors } from "../../../src/config/proxy/vendors.ts";
import { read, root } from "../../support/documents.ts";
import { strictVendors } from "./strict-vendors.ts";

const page = read("docs/reference/upstreams.md");

describe("the documentation of upstreams", () => {
  it("names every vendor", () => {
    for (const name of vendorNames) expect(page).toMatch(new RegExp(`\`${name}\``));
  });

  it("names the dialects and the key variables of each vendor", () => {
    for (const { name, baseUrls, variables } of vendors) {
      const [, , dialects = "", keys = ""] =
        new RegExp(`^\\| \`${name}\` \\|.*$`, "m").exec(page)?.[0].split("|") ?? [];
      expect({ name, dialects: dialects.trim() }).toEqual({
        name,
        dialects: Object.keys(baseUrls).join(", "),
      });
      for (const variable of variables)
        expect({ name, keys }).toEqual({ name, keys: expect.stringContaining(`\`${variable}\``) });
    }
  });

  it("names a test that exists as the proof of each row", () => {
    const commands = [...page.matchAll(/`npx vitest run --project \w+ (\S+\.test\.ts)(?: -t "([^"]+)")?`/g)];
    expect(commands.length).toBeGreaterThan(20);
    for (const [, file = "", pattern] of commands) {
      const titles = readFileSync(join(root, file), "utf8");
      // NAME stands for a row of another table, as does `%s` in test titles.
      const title = pattern?.replace(/^NAME:$/, "").replace("NAME", "%s") ?? "";
      expect({ file, title, isFound: titles.includes(title) }).toEqual({ file, title, isFound: true });
    }
  });

  it("has a strict stand-in or a test of its habits for each vendor without an own dialect", () => {
    const strict = new Set(strictVendors.map(({ vendor }) => vendor));
    const habits = readFileSync(join(root, "test/proxy/vendors/odd-servers.test.ts"), "utf8");
    const missing = vendors.filter(
      ({ name, title }) => !strict.has(name) && !habits.includes(`"${title}:`) && !OWN_DIALECTS.has(name),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

/** Vendors whose dialects all other tests of the proxy cover. */
const OWN_DIALECTS = new Set(["anthropic", "openai", "gemini"]);

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import * as undici from "undici";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const bundled = createRequire(import.meta.url)(join(root, "scripts/start/undici.cjs")) as Record<
  string,
  unknown
>;

/** Returns the members of undici that the sources use: imported values, and `undici.name`. */
function usedMembers(): string[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, "src", name), "utf8"));
  const imported = texts
    .flatMap((text) => [...text.matchAll(/^import \{([^}]*)\} from "undici";/gm)])
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
  const accessed = texts.flatMap((text) =>
    [...text.matchAll(/\bundici\.(\w+)/g)].map(([, name = ""]) => name),
  );
  return [...new Set([...imported, ...accessed])].sort();
}

describe("the part of undici in the bundle", () => {
  it("has the members that the sources use, each the same as undici's", () => {
    const used = usedMembers();
    expect(used).toContain("Pool");
    const own = undici as Record<string, unknown>;
    for (const name of used)
      expect({ name, type: typeof bundled[name] }).toEqual({ name, type: typeof own[name] });
  });
});

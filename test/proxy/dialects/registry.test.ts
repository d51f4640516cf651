import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadCodec } from "../../../src/proxy/dialects/codecs.ts";
import { dialects, getProfile, upstreamDialects } from "../../../src/proxy/dialects/index.ts";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "src/proxy/dialects");

describe("the dialect registry", () => {
  it("lists the dialect of every folder in dialects/", () => {
    const folders = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name !== "shared" ? [entry.name] : [],
    );
    expect(folders.toSorted()).toEqual([...dialects].toSorted());
  });

  it.each(dialects)("uses the name %s in the profile and the codec", async (dialect) => {
    expect(getProfile(dialect).name).toBe(dialect);
    expect((await loadCodec(dialect)).dialect).toBe(dialect);
  });

  it("loads a codec again if loading it has failed", async () => {
    const path = "../../../src/proxy/dialects/completions/index.ts";
    vi.resetModules();
    vi.doMock(path, () => {
      throw new Error("EMFILE: too many open files");
    });
    onTestFinished(() => void vi.doUnmock(path));
    const { loadCodec: load } = await import("../../../src/proxy/dialects/codecs.ts");
    await expect(load("completions")).rejects.toThrow();
    vi.doUnmock(path);
    expect((await load("completions")).dialect).toBe("completions");
  });

  it.each(dialects)("serves %s natively with a registered upstream dialect", (dialect) => {
    expect(upstreamDialects).toContain(getProfile(dialect).nativeUpstream);
  });

  it.each(dialects)("does not load the codec of %s with its profile", (dialect) => {
    const text = readFileSync(join(folder, dialect, "profile.ts"), "utf8");
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map((match) => match[1] ?? "");
    const allowed =
      /^(?:\.\.\/\.\.\/exchange\/|\.\.\/shared\/|\.\.\/\.\.\/\.\.\/(?:errors|sse\/serialize)\.ts$)/;
    expect(imports.filter((path) => !allowed.test(path))).toEqual([]);
  });
});

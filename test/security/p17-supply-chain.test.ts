import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(root, path), "utf8");
const manifest: Record<string, Record<string, string>> = JSON.parse(text("package.json"));

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly link?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const locked: [string, LockedPackage][] = Object.entries(
  JSON.parse(text("package-lock.json")).packages as Record<string, LockedPackage>,
).filter(([path]) => path !== "");

/** Licenses that require only attribution. CC-BY applies to data of a development tool. */
const LICENCES =
  /^(?:MIT|Apache-2\.0|ISC|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-[34]\.0|Python-2\.0|MPL-2\.0|MIT-0|\(MPL-2\.0 OR Apache-2\.0\)|MIT OR Apache-2\.0|PSF-2\.0)$/i;

/** Returns whether a range of Node.js versions contains a version, given as three numbers. */
function allows(range: string, version: readonly number[]): boolean {
  const compare = (wanted: readonly number[]) =>
    version.map((part, at) => part - (wanted[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return range.split("||").some((alternative) =>
    [...alternative.matchAll(/(>=|<|\^)?\s*(\d+|\*)(?:\.(\d+))?(?:\.(\d+))?/g)].every(
      ([, operator, ...parts]) => {
        if (parts[0] === "*") return true;
        const wanted = parts.map((part) => Number(part ?? 0));
        if (operator === "<") return compare(wanted) < 0;
        const isSameMajor = operator === ">=" || version[0] === wanted[0];
        return isSameMajor && compare(wanted) >= 0;
      },
    ),
  );
}

describe("P17 installed packages", () => {
  it("run no install scripts, except two test packages that check their version", () => {
    const known = ["node_modules/@google/genai", "node_modules/protobufjs"];
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripted.filter((path) => !known.includes(path))).toEqual([]);
    expect(manifest["devDependencies"]).not.toHaveProperty("protobufjs");
    const own = Object.keys(manifest["scripts"] ?? {});
    expect(own.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
  });

  it("match the lock file's integrity hashes and come from the registry", () => {
    for (const [path, { resolved, integrity, link }] of locked) {
      expect([path, link ?? false]).toEqual([path, false]);
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
      if (resolved !== undefined) expect(resolved).toMatch(/^https:\/\//);
    }
  });

  it("are locked for every platform: `npm ci` rejects a lock file without one of them", () => {
    const lockedPaths = new Map(locked);
    const found = (from: string, name: string): LockedPackage | undefined => {
      const path = `${from}${from ? "/" : ""}node_modules/${name}`;
      const above = from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1));
      return lockedPaths.get(path) ?? (from ? found(above, name) : undefined);
    };
    for (const [path, { dependencies, optionalDependencies }] of locked) {
      for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
        const version = found(path, name)?.version;
        expect([path, name, version]).toEqual([path, name, expect.any(String)]);
        // Build tools declare their binary packages with exact versions.
        if (/^\d+\.\d+\.\d+$/.test(range)) expect([path, name, version]).toEqual([path, name, range]);
      }
    }
    for (const tool of ["@biomejs/cli", "@rolldown/binding"])
      for (const platform of [
        "linux-x64",
        "linux-arm64",
        "darwin-x64",
        "darwin-arm64",
        "win32-x64",
        "win32-arm64",
      ])
        expect(
          locked.map(([path]) => path).filter((path) => path.includes(`${tool}-${platform}`)),
        ).not.toEqual([]);
  });

  it("have exact versions, and the command needs none of them at run time", () => {
    for (const [name, version] of Object.entries(manifest["devDependencies"] ?? {})) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)]);
      expect([name, locked.find(([path]) => path === `node_modules/${name}`)?.[1].version]).toEqual([
        name,
        version,
      ]);
    }
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"])
      expect(manifest[kind]).toBeUndefined();
  });

  it("run on the oldest supported Node.js", () => {
    const floor = /^>=(\d+)\.(\d+)$/
      .exec(manifest["engines"]?.["node"] ?? "")
      ?.slice(1)
      .map(Number);
    expect(floor).toHaveLength(2);
    expect(allows("^20.19.0 || >=22.12.0", [20, 19, 0])).toBe(true);
    expect(allows("^20.19.1 || >=22.12.0", [20, 19, 0])).toBe(false);
    const refused = locked.filter(([, { engines }]) => !allows(engines?.node ?? "*", [...(floor ?? []), 0]));
    expect(refused.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  });

  it("have compatible licenses", () => {
    const others = locked.filter(([, { license }]) => license !== undefined && !LICENCES.test(license));
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });
});

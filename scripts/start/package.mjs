// Entry of the package: loads the command's parts from its folder, precompiled if the cache is for this Node.js.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheName, createLoader } from "./loader.mjs";

const folder = join(__dirname, "parts");
const cache = join(__dirname, "cache", cacheName());
const load = createLoader({
  source: (name) => readFileSync(join(folder, name), "latin1"),
  cachedData: (name) => {
    try {
      return readFileSync(join(cache, name));
    } catch {
      // Another Node.js than the one that built it: compiled on use, which is slower.
      return undefined;
    }
  },
  builtin: require,
  folder,
});
load("main.cjs");

// What the package's command runs first: loads its parts from the folder beside it, compiled beforehand where they were
// for this very Node.js.
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
      // Another Node.js than the one that built it: compiled as it is used, which takes longer.
      return undefined;
    }
  },
  builtin: require,
  folder,
});
load("main.cjs");

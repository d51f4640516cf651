// The first script of the package's command: loads its parts from the folder beside it, with the compiled code of an
// earlier run if it was stored.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirectory, processEnvironment } from "../../src/config/paths.ts";
import { openCodeCache } from "./code-cache.mjs";
import { createLoader } from "./loader.mjs";

const folder = join(__dirname, "parts");
const cache = openCodeCache({
  dataDirectory: () => dataDirectory(processEnvironment),
  hashes: SALLYPORT_PARTS,
});
const load = createLoader({
  source: (name) => readFileSync(`${folder}/${name}`, "latin1"),
  cachedData: cache.cachedData,
  compiled: cache.compiled,
  builtin: require,
  folder,
});
process.once("exit", cache.save);
load("main.cjs");

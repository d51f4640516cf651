// The first script of the single executable: loads the command's parts from its assets, with the compiled code of an
// earlier run if it was stored.
import { dirname } from "node:path";
import { getRawAsset } from "node:sea";
import { dataDirectory, processEnvironment } from "../../src/config/paths.ts";
import { openCodeCache } from "./code-cache.mjs";
import { createLoader } from "./loader.mjs";

const cache = openCodeCache({
  dataDirectory: () => dataDirectory(processEnvironment),
  hashes: SALLYPORT_PARTS,
});
const load = createLoader({
  source: (name) => Buffer.from(getRawAsset(`parts/${name}`)).toString("latin1"),
  cachedData: cache.cachedData,
  compiled: cache.compiled,
  builtin: require,
  folder: dirname(process.execPath),
});
process.once("exit", cache.save);
load("main.cjs");

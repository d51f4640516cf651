// Entry of the single executable: loads the command's precompiled parts from its assets.
import { dirname } from "node:path";
import { getRawAsset } from "node:sea";
import { createLoader } from "./loader.mjs";

const load = createLoader({
  source: (name) => Buffer.from(getRawAsset(`parts/${name}`)).toString("latin1"),
  cachedData: (name) => {
    try {
      return new Uint8Array(getRawAsset(`cache/${name}`));
    } catch {
      // Built on another platform, without a code cache: compiled on use, which is slower.
      return undefined;
    }
  },
  builtin: require,
  folder: dirname(process.execPath),
});
load("main.cjs");

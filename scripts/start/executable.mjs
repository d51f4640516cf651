// What the single executable runs first: loads the command's parts from its own assets, compiled beforehand.
import { dirname } from "node:path";
import { getRawAsset } from "node:sea";
import { createLoader } from "./loader.mjs";

const load = createLoader({
  source: (name) => Buffer.from(getRawAsset(`parts/${name}`)).toString("latin1"),
  cachedData: (name) => {
    try {
      return new Uint8Array(getRawAsset(`cache/${name}`));
    } catch {
      // Built on another machine than this one: compiled as it is used, which takes longer.
      return undefined;
    }
  },
  builtin: require,
  folder: dirname(process.execPath),
});
load("main.cjs");

// What the single executable runs first: loads the command's parts from its own assets, compiled beforehand.
import { getAsset, getRawAsset } from "node:sea";
import { createLoader } from "./loader.mjs";

const load = createLoader({
  source: (name) => getAsset(`code/${name}`, "utf8"),
  cachedData: (name) => new Uint8Array(getRawAsset(`cache/${name}`)),
  builtin: require,
});
load("main.cjs");

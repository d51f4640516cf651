import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Resolves to the URL in a command's ready file; waits up to ten seconds for it. */
export async function urlIn(path) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text) return JSON.parse(text).url;
    await delay(25);
  }
  throw new Error(`The command did not start within 10 s: ${path} does not exist`);
}

import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** The address in the ready file of a command that has been started; waits ten seconds for it. */
export async function urlIn(path) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text) return JSON.parse(text).url;
    await delay(25);
  }
  throw new Error(`nothing has told in ${path} that it started`);
}

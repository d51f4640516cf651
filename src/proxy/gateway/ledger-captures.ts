import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const expand = promisify(gunzip);

/** Returns captured bodies as they were stored. */
export async function readCapture(stored: string): Promise<unknown> {
  return JSON.parse((await expand(Buffer.from(stored, "base64"))).toString("utf8"));
}

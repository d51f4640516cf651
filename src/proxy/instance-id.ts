import { randomBytes } from "node:crypto";

/** Returns a new instance id. Calls carry it in `x-sallyport-via`, by which the proxy detects a forwarding loop. */
export function createInstanceId(): string {
  return randomBytes(9).toString("base64url");
}

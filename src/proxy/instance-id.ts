import { randomBytes } from "node:crypto";

/** Creates an instance id. The proxy sends it in `x-sallyport-via`, by which it detects forwarding loops. */
export function createInstanceId(): string {
  return randomBytes(9).toString("base64url");
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy-config.ts";

/** The keys that open the proxy. */
export interface KeyRing {
  readonly size: number;
  /** The name of the first of these that is right, or undefined. */
  nameOf(shown: readonly string[]): string | undefined;
}

const REMEMBERED = 1000;

/**
 * Compares SHA-256 digests in constant time. A digest is remembered per shown text (the text itself is in memory
 * anyway while its request is), so that a client that keeps calling is not hashed again each time.
 */
export function createKeyRing(keys: readonly ProxyKey[]): KeyRing {
  const digests = new Map<string, Buffer>();
  const digestOf = (text: string): Buffer => {
    const known = digests.get(text);
    if (known) return known;
    const digest = createHash("sha256").update(text).digest();
    if (digests.size >= REMEMBERED) digests.clear();
    if (text.length <= 512) digests.set(text, digest);
    return digest;
  };
  return {
    size: keys.length,
    nameOf(shown) {
      for (const text of shown) {
        const digest = digestOf(text);
        let found: string | undefined;
        for (const key of keys) if (timingSafeEqual(digest, key.sha256)) found ??= key.name;
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

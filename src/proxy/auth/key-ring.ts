import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy-config.ts";

/** The keys that open the proxy. */
export interface KeyRing {
  readonly size: number;
  /** The name of the first of these that is right, or undefined. */
  nameOf(shown: readonly string[]): string | undefined;
}

/**
 * Compares SHA-256 digests in constant time. Texts that were right are remembered (they are in memory anyway while
 * their requests are), so that a client that keeps calling is not hashed again each time; only who has a whole right
 * key can find it there.
 */
export function createKeyRing(keys: readonly ProxyKey[]): KeyRing {
  const right = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = right.get(text);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(text).digest();
    let found: string | undefined;
    for (const key of keys) if (timingSafeEqual(digest, key.sha256)) found ??= key.name;
    if (found !== undefined) right.set(text, found);
    return found;
  };
  return {
    size: keys.length,
    nameOf(shown) {
      for (const text of shown) {
        const found = nameOf(text);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

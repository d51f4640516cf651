import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy/config.ts";

/** The keys that open the proxy. */
export interface KeyRing {
  readonly size: number;
  /** The first of these that is right, or undefined. */
  find(shown: readonly string[]): ProxyKey | undefined;
}

/**
 * Compares SHA-256 digests in constant time. Texts that were right are remembered (they are in memory anyway while
 * their requests are), so that a client that keeps calling is not hashed again each time; only who has a whole right
 * key can find it there.
 */
export function createKeyRing(keys: readonly ProxyKey[]): KeyRing {
  const right = new Map<string, ProxyKey>();
  const keyOf = (text: string): ProxyKey | undefined => {
    const known = right.get(text);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(text).digest();
    let found: ProxyKey | undefined;
    for (const key of keys) if (timingSafeEqual(digest, key.sha256)) found ??= key;
    if (found !== undefined) right.set(text, found);
    return found;
  };
  return {
    size: keys.length,
    find(shown) {
      for (const text of shown) {
        const found = keyOf(text);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

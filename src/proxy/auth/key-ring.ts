import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy/config.ts";

/** The proxy's own API keys. */
export interface KeyRing {
  readonly size: number;
  /** Returns the first valid key, or undefined if there is none. */
  find(shown: readonly string[]): ProxyKey | undefined;
}

/**
 * Creates a key ring that compares SHA-256 digests in constant time (timing attack). Valid keys are cached, so that a
 * client that keeps calling is not hashed every time; a lookup in the cache succeeds only with a complete valid key.
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

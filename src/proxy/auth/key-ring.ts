import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy/config.ts";

/** The keys of a database, which change while the proxy runs. */
export interface StoredKeys {
  /** Returns the key whose secret has this SHA-256, unless it is revoked or expired. Takes constant time. */
  findBySecret(sha256: Buffer): ProxyKey | undefined;
}

/** The proxy's own API keys. */
export interface KeyRing {
  /** Whether any key may exist. */
  readonly size: number;
  /** Returns the first valid key, or undefined if there is none. */
  find(shown: readonly string[]): ProxyKey | undefined;
}

/** Entries of the cache of digests; each is a valid key, or one that has become invalid since. */
const MAX_CACHED = 10_000;

/**
 * Creates a key ring that compares SHA-256 digests in constant time (timing attack): the keys of the configuration, then
 * those of the database. The digests of valid keys are cached, so that a client that keeps calling is not hashed every
 * time; a lookup in the cache succeeds only with a complete key that was valid once.
 */
export function createKeyRing(keys: readonly ProxyKey[], stored?: StoredKeys): KeyRing {
  const digests = new Map<string, Buffer>();
  const findKey = (text: string): ProxyKey | undefined => {
    const known = digests.get(text);
    const digest = known ?? createHash("sha256").update(text).digest();
    let found: ProxyKey | undefined;
    for (const key of keys) if (timingSafeEqual(digest, key.sha256)) found ??= key;
    found ??= stored?.findBySecret(digest);
    if (found !== undefined && known === undefined) {
      if (digests.size >= MAX_CACHED) digests.clear();
      digests.set(text, digest);
    }
    return found;
  };
  return {
    size: keys.length + (stored === undefined ? 0 : 1),
    find(shown) {
      for (const text of shown) {
        const found = findKey(text);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

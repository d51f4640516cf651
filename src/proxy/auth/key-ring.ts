import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { type Limits, teamSubject } from "../../config/proxy/limits.ts";

/** The keys of a database, which change while the proxy runs. */
export interface StoredKeys {
  /** Returns the key whose secret has this SHA-256, unless it is revoked or expired. Takes constant time. */
  findBySecret(sha256: Buffer): ProxyKey | undefined;
  /** Returns a team of the database. */
  team(name: string): StoredTeam | undefined;
  /** A number that changes with the keys. */
  readonly version: number;
}

interface StoredTeam {
  readonly name: string;
  readonly limits: Limits;
}

/** The proxy's own API keys. */
export interface KeyRing {
  /** Whether any key may exist. */
  readonly size: number;
  /** Returns the first valid key, or undefined if there is none. */
  find(shown: readonly string[]): ProxyKey | undefined;
  /** Texts in which no key was found since the keys last changed. */
  readonly foreign: ForeignTexts;
}

/** A bounded set of short texts; longer ones are not added. */
interface ForeignTexts {
  has(text: string): boolean;
  add(text: string): void;
}

/** Entries of the cache of digests; each is a valid key, or one that has become invalid since. */
const MAX_CACHED = 10_000;
const MAX_FOREIGN = 1_000;
/** Maximum length of a foreign text, in UTF-16 code units. Most values of headers are shorter. */
const MAX_FOREIGN_LENGTH = 256;

/**
 * Creates a key ring that compares SHA-256 digests in constant time (timing attack): the keys of the configuration, then
 * those of the database. The digests of valid keys are cached, so that the key of a frequent client is not hashed for
 * every call; a lookup in the cache succeeds only with a complete key that was valid once.
 */
export function createKeyRing(keys: readonly ProxyKey[], stored?: StoredKeys): KeyRing {
  const digests = new Map<string, Buffer>();
  const inTeam = createTeamJoin(stored);
  const findKey = (text: string): ProxyKey | undefined => {
    const known = digests.get(text);
    const digest = known ?? createHash("sha256").update(text).digest();
    let found: ProxyKey | undefined;
    for (const key of keys) if (timingSafeEqual(digest, key.sha256)) found ??= key;
    if (found?.team !== undefined) found = inTeam(found, found.team);
    found ??= stored?.findBySecret(digest);
    if (found !== undefined && known === undefined) {
      if (digests.size >= MAX_CACHED) digests.clear();
      digests.set(text, digest);
    }
    return found;
  };
  return {
    foreign: createForeignTexts(stored),
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

function createForeignTexts(stored: StoredKeys | undefined): ForeignTexts {
  const texts = new Set<string>();
  let version = stored?.version;
  return {
    has(text) {
      if (version !== stored?.version) texts.clear();
      version = stored?.version;
      return texts.has(text);
    },
    add(text) {
      if (text.length > MAX_FOREIGN_LENGTH) return;
      if (texts.size >= MAX_FOREIGN) texts.clear();
      texts.add(text);
    },
  };
}

/** Returns a function that adds the limits of a key's team in the database, which change while the proxy runs. */
function createTeamJoin(stored: StoredKeys | undefined): (key: ProxyKey, team: string) => ProxyKey {
  const joined = new Map<ProxyKey, { readonly team: StoredTeam | undefined; readonly key: ProxyKey }>();
  return (key, name) => {
    const team = stored?.team(name);
    const known = joined.get(key);
    if (known !== undefined && known.team === team) return known.key;
    const shared = team && teamSubject(team);
    const withTeam = shared === undefined ? key : { ...key, subjects: [...(key.subjects ?? []), shared] };
    joined.set(key, { team, key: withTeam });
    return withTeam;
  };
}

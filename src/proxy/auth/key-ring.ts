import { createHash, timingSafeEqual } from "node:crypto";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { type Limits, teamSubject } from "../../config/proxy/limits.ts";

/** The keys and teams in a database. They can change while the proxy runs. */
export interface StoredKeys {
  /**
   * Returns the key whose secret has this SHA-256, unless it is revoked or expired. The duration reveals nothing about
   * stored secrets.
   */
  findBySecret(sha256: Buffer): ProxyKey | undefined;
  /** Returns the team with this name; undefined if there is none. */
  team(name: string): StoredTeam | undefined;
  /** A number that changes whenever a key or a team changes. */
  readonly version: number;
}

interface StoredTeam {
  readonly name: string;
  readonly limits: Limits;
}

/** The proxy's own API keys. */
export interface KeyRing {
  /** The number of keys in the configuration, plus 1 if there is a database; 0 means that no key can exist. */
  readonly size: number;
  /** Returns the key whose secret is the first valid one in `shown`; undefined if none is valid. */
  find(shown: readonly string[]): ProxyKey | undefined;
  /** Texts in which no key was found since the keys last changed. */
  readonly foreign: ForeignTexts;
}

/** A bounded set of short texts; longer ones are not added. */
interface ForeignTexts {
  has(text: string): boolean;
  add(text: string): void;
}

/** Maximum number of cached digests. */
const MAX_CACHED = 10_000;
const MAX_FOREIGN = 1_000;
/** Maximum length of a foreign text, in UTF-16 code units. */
const MAX_FOREIGN_LENGTH = 256;

/**
 * Creates a key ring that finds keys in the configuration, then in the database. It compares SHA-256 digests in
 * constant time, against timing attacks. A cached digest saves only the hashing: every call still looks up the key.
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

/**
 * Creates a function that adds the limits of a team to a key of the configuration. Until the keys or teams in the
 * database change, the function returns the same object for the same key.
 */
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

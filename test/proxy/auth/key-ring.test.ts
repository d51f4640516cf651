import { describe, expect, it, vi } from "vitest";
import type { ProxyKey } from "../../../src/config/proxy/config.ts";
import { getLimitSubjects, type Limits } from "../../../src/config/proxy/limits.ts";
import { sha256 } from "../../../src/config/proxy/resolve-keys.ts";
import { createKeyRing, type StoredKeys } from "../../../src/proxy/auth/key-ring.ts";
import { redactOwnKeys } from "../../../src/proxy/redact.ts";

/** Returns a key whose secret is `text`. */
function keyOf(text: string, more: Partial<ProxyKey> = {}): ProxyKey {
  return { name: text, sha256: sha256(text), ...more };
}

/** Returns a key of the configuration that belongs to a team. */
function teamKey(text: string, team: string, limits?: Limits): ProxyKey {
  const id = `config:${text}`;
  return keyOf(text, { id, team, limits, subjects: getLimitSubjects({ id, name: text, limits }) });
}

/** A database whose keys and teams the test changes. */
function createDatabase(...keys: readonly ProxyKey[]) {
  const byDigest = new Map(keys.map((key) => [key.sha256.toString("hex"), key]));
  const teams = new Map<string, { readonly name: string; readonly limits: Limits }>();
  let version = 0;
  const stored: StoredKeys = {
    findBySecret: (digest) => byDigest.get(digest.toString("hex")),
    team: (name) => teams.get(name),
    get version() {
      return version;
    },
  };
  return {
    stored,
    add(key: ProxyKey) {
      byDigest.set(key.sha256.toString("hex"), key);
      version += 1;
    },
    revoke: (text: string) => byDigest.delete(sha256(text).toString("hex")),
    setTeam: (name: string, limits: Limits) => teams.set(name, { name, limits }),
  };
}

describe("the key ring", () => {
  it("is empty only without configured keys and without a database, which may have keys", () => {
    const { stored } = createDatabase();
    expect(createKeyRing([]).size).toBe(0);
    expect(createKeyRing([keyOf("a"), keyOf("b")]).size).toBe(2);
    expect(createKeyRing([], stored).size).toBe(1);
    expect(createKeyRing([keyOf("a"), keyOf("b")], stored).size).toBe(3);
  });

  it("finds keys of the configuration and of the database", () => {
    const ring = createKeyRing([keyOf("configured")], createDatabase(keyOf("stored")).stored);
    expect(ring.find(["configured"])?.name).toBe("configured");
    expect(ring.find(["stored"])?.name).toBe("stored");
    expect(ring.find(["other"])).toBeUndefined();
    expect(ring.find([])).toBeUndefined();
  });

  it("returns the first valid key of those that a request has", () => {
    const ring = createKeyRing([keyOf("a")], createDatabase(keyOf("b")).stored);
    expect(ring.find(["wrong", "b", "a"])?.name).toBe("b");
    expect(ring.find(["a", "b"])?.name).toBe("a");
  });

  it("prefers the configuration to the database, and its first key to later ones", () => {
    const first = keyOf("same", { name: "first" });
    const second = keyOf("same", { name: "second" });
    const { stored } = createDatabase(keyOf("same", { name: "stored" }));
    expect(createKeyRing([first, second], stored).find(["same"])).toBe(first);
  });

  it("rejects a key of the database from the moment that it is revoked", () => {
    const { stored, revoke } = createDatabase(keyOf("a"));
    const ring = createKeyRing([], stored);
    expect(ring.find(["a"])?.name).toBe("a");
    expect(ring.find(["a"])?.name).toBe("a");
    revoke("a");
    expect(ring.find(["a"])).toBeUndefined();
  });

  it("caches at most 10,000 digests, and adds each of them once", () => {
    const valid = keyOf("any");
    const ring = createKeyRing([], {
      findBySecret: () => valid,
      team: () => undefined,
      version: 0,
    });
    const remember = vi.spyOn(Map.prototype, "set");
    try {
      for (let index = 0; index <= 10_000; index += 1) {
        ring.find([`key ${index}`]);
        ring.find([`key ${index}`]);
        // Before the limit is reached, the first key stays in the cache.
        if (index < 10_000) ring.find(["key 0"]);
      }
      const added = remember.mock.calls.flatMap(([text], index) =>
        /^key \d+$/.test(String(text)) ? [{ text, cache: remember.mock.contexts[index] }] : [],
      );
      expect(added.map(({ text }) => text)).toEqual(
        Array.from({ length: 10_001 }, (_, index) => `key ${index}`),
      );
      // The 10,001st key replaced all others.
      const caches = [...new Set(added.map(({ cache }) => cache))];
      expect(caches).toEqual([new Map([["key 10000", sha256("key 10000")]])]);
    } finally {
      remember.mockRestore();
    }
  });
});

describe("the team of a configured key", () => {
  it("adds its limits in the database to those of the key", () => {
    const { stored, setTeam } = createDatabase();
    setTeam("search", { rpm: 100 });
    const limited = teamKey("a", "search", { rpm: 10 });
    const ring = createKeyRing([limited, teamKey("b", "search")], stored);
    const team = { id: "team:search", label: 'the team "search"', limits: { rpm: 100 } };
    expect(ring.find(["a"])).toEqual({
      ...limited,
      subjects: [{ id: "key:config:a", label: 'the key "a"', limits: { rpm: 10 } }, team],
    });
    expect(ring.find(["b"])?.subjects).toEqual([team]);
  });

  it("changes nothing without a database, without the team, and without limits of the team", () => {
    const limited = teamKey("a", "search", { rpm: 10 });
    const free = teamKey("b", "search");
    const { stored, setTeam } = createDatabase();
    setTeam("other", { rpm: 1 });
    for (const ring of [createKeyRing([limited, free]), createKeyRing([limited, free], stored)]) {
      expect(ring.find(["a"])?.subjects).toEqual(limited.subjects);
      expect(ring.find(["b"])?.subjects).toBeUndefined();
    }
    setTeam("search", {});
    expect(createKeyRing([free], stored).find(["b"])?.subjects).toBeUndefined();
  });

  it("is joined again only when the database changes it", () => {
    const { stored, setTeam } = createDatabase();
    const key = teamKey("a", "search");
    const ring = createKeyRing([key], stored);
    expect(ring.find(["a"])?.subjects).toBeUndefined();
    setTeam("search", { rpm: 100 });
    const before = ring.find(["a"]);
    expect(before?.subjects?.map(({ limits }) => limits)).toEqual([{ rpm: 100 }]);
    expect(ring.find(["a"])).toBe(before);
    setTeam("search", { rpm: 200 });
    expect(ring.find(["a"])?.subjects?.map(({ limits }) => limits)).toEqual([{ rpm: 200 }]);
  });

  it("is not joined to keys without a team", () => {
    const key = keyOf("a", { id: "config:a" });
    const stored: StoredKeys = {
      findBySecret: () => undefined,
      team: (name) => ({ name, limits: { rpm: 1 } }),
      version: 0,
    };
    expect(createKeyRing([key], stored).find(["a"])).toBe(key);
  });
});

describe("texts without a key", () => {
  const header = "claude-cli/2.1.0 (external, cli)";

  it("are hashed once, so that the same headers of each call cost nothing", () => {
    const { stored } = createDatabase();
    const lookups = vi.spyOn(stored, "findBySecret");
    const ring = createKeyRing([], stored);
    expect(redactOwnKeys(header, ring)).toBe(header);
    const first = lookups.mock.calls.length;
    expect(first).toBeGreaterThan(0);
    expect(redactOwnKeys(header, ring)).toBe(header);
    expect(lookups.mock.calls).toHaveLength(first);
  });

  it("are searched again after a key has been added", () => {
    const { stored, add } = createDatabase();
    const ring = createKeyRing([], stored);
    const key = "a-key-of-more-than-16-characters";
    expect(redactOwnKeys(`agent ${key}`, ring)).toBe(`agent ${key}`);
    add(keyOf(key));
    expect(redactOwnKeys(`agent ${key}`, ring)).toBe("agent [redacted]");
  });

  it("are remembered up to 1,000 texts of 256 characters", () => {
    const { foreign } = createKeyRing([]);
    foreign.add("x".repeat(257));
    expect(foreign.has("x".repeat(257))).toBe(false);
    for (let index = 0; index < 1_000; index += 1) foreign.add(`text ${index}`);
    expect(foreign.has("text 0")).toBe(true);
    foreign.add("one more");
    expect(foreign.has("text 0")).toBe(false);
    expect(foreign.has("one more")).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { hashSecret } from "../../../src/proxy/gateway/key-secret.ts";
import { createKeyStore, type KeyStore } from "../../../src/proxy/gateway/key-store.ts";
import { createLedgerQueries } from "../../../src/proxy/gateway/ledger-queries.ts";
import { ENGINES, testDatabases } from "../../support/databases.ts";

const actor = { name: "root", address: "127.0.0.1" };
const NOW = Date.UTC(2026, 0, 2);
const databases = testDatabases();

describe.each(ENGINES)("the key store on %s", (engine) => {
  async function keyStore(): Promise<{ store: KeyStore; time: { now: number } }> {
    const time = { now: NOW };
    return { store: createKeyStore(await databases.open(engine), () => time.now), time };
  }

  it("stores a digest of the secret, and raises the revision with each change", async () => {
    const { store } = await keyStore();
    const before = await store.revision();
    const { key, secret } = await store.create({ name: "alice", limits: { rpm: 60 } }, actor);
    expect(secret).toMatch(/^sk-sally-[A-Za-z0-9_-]{43}$/);
    expect(await store.find("alice")).toEqual(key);
    expect(await store.find(key.id)).toEqual(key);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      name: "alice",
      capture: null,
      team: null,
      created_at: "2026-01-02T00:00:00.000Z",
      expires_at: null,
      revoked_at: null,
      models: null,
      mcp: null,
      tags: {},
      role: "user",
      limits: { rpm: 60 },
      source: "database",
    });
    expect((await store.snapshot()).secrets).toEqual([
      { sha256: hashSecret(secret), keyId: key.id, validUntil: null },
    ]);
    expect(await store.revision()).toBeGreaterThan(before);
  });

  it("changes the given members and keeps the others", async () => {
    const { store } = await keyStore();
    await store.createTeam({ name: "search" }, actor);
    await store.create({ name: "alice", team: "search", limits: { rpm: 60, tpm: 5 } }, actor);
    const budgets = [{ usd: 20, period: "day" as const }];
    const key = await store.update("alice", { limits: { tpm: null, budgets }, tags: { a: "b" } }, actor);
    expect(key).toMatchObject({ team: "search", limits: { rpm: 60, budgets }, tags: { a: "b" } });
    expect(key.limits).not.toHaveProperty("tpm");
  });

  it("accepts the previous secret for the grace period of a rotation, and no longer", async () => {
    const { store, time } = await keyStore();
    const { secret } = await store.create({ name: "alice" }, actor);
    const rotated = await store.rotate("alice", 60_000, actor);
    const valid = async () => (await store.snapshot()).secrets.map(({ sha256 }) => sha256).sort();
    expect(await valid()).toEqual([hashSecret(secret), hashSecret(rotated.secret)].sort());
    time.now += 60_001;
    expect(await valid()).toEqual([hashSecret(rotated.secret)]);
    await store.revoke("alice", actor);
    expect(await valid()).toEqual([]);
    expect((await store.find("alice")).revoked_at).toBe(new Date(time.now).toISOString());
  });

  it("ends the secrets of earlier rotations no later than the previous secret", async () => {
    const { store } = await keyStore();
    await store.create({ name: "alice" }, actor);
    await store.rotate("alice", 3_600_000, actor);
    await store.rotate("alice", 60_000, actor);
    const secrets = async () => (await store.snapshot()).secrets;
    const ends = (await secrets()).map(({ validUntil }) => validUntil);
    expect(ends.filter((end) => end === NOW + 60_000)).toHaveLength(2);
    const last = await store.rotate("alice", 0, actor);
    expect((await secrets()).map(({ sha256 }) => sha256)).toEqual([hashSecret(last.secret)]);
  });

  it("records only the members that a change names", async () => {
    const db = await databases.open(engine);
    const store = createKeyStore(db, () => NOW);
    await store.createTeam({ name: "search" }, actor);
    await store.updateTeam("search", { limits: { rpm: 1 }, tags: undefined }, actor);
    await store.create({ name: "alice" }, actor);
    await store.update("alice", { team: null, models: undefined, limits: undefined }, actor);
    const { items } = await createLedgerQueries(db).audit({ limit: 10 });
    const changes = items.filter(({ action }) => action.endsWith(".update")).map(({ detail }) => detail);
    expect(changes).toContainEqual({ changed: ["limits"] });
    expect(changes).toContainEqual({ name: "alice", changed: ["team"] });
  });

  it("rejects a second key with a name, an unknown team, and the deletion of a team with keys", async () => {
    const { store } = await keyStore();
    await store.createTeam({ name: "search" }, actor);
    await store.create({ name: "alice", team: "search" }, actor);
    await expect(store.create({ name: "alice" }, actor)).rejects.toMatchObject({ code: "conflict" });
    await expect(store.create({ name: "bob", team: "none" }, actor)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(store.deleteTeam("search", actor)).rejects.toMatchObject({ code: "conflict" });
    await expect(store.find("bob")).rejects.toMatchObject({ code: "not_found" });
    expect((await store.list()).map(({ name }) => name)).toEqual(["alice"]);
  });

  it("deletes a team once its keys, also the revoked ones, have left it", async () => {
    const { store } = await keyStore();
    await store.createTeam({ name: "search" }, actor);
    await store.create({ name: "alice", team: "search" }, actor);
    await store.revoke("alice", actor);
    await expect(store.deleteTeam("search", actor)).rejects.toMatchObject({
      message: "Cannot delete the team search: it has the keys alice (revoked)",
      hint: expect.stringContaining("sallyport proxy keys update KEY --no-team"),
    });
    await store.update("alice", { team: null }, actor);
    await store.deleteTeam("search", actor);
    expect(await store.listTeams()).toEqual([]);
  });

  it("rejects a name that identifies another key", async () => {
    const { store } = await keyStore();
    const { key } = await store.create({ name: "alice" }, actor);
    await store.create({ name: "bob" }, actor);
    const conflict = { code: "conflict" };
    await expect(store.create({ name: key.id }, actor)).rejects.toMatchObject(conflict);
    await expect(store.update("bob", { name: key.id }, actor)).rejects.toMatchObject(conflict);
    await expect(store.update("bob", { name: "alice" }, actor)).rejects.toMatchObject(conflict);
    expect((await store.update("bob", { name: "bob" }, actor)).name).toBe("bob");
  });

  it("creates one admin key if several processes start at once", async () => {
    const location = await databases.locate(engine);
    const stores = await Promise.all(
      [1, 2, 3].map(async () => createKeyStore(await databases.open(engine, location))),
    );
    const created = await Promise.all(stores.map((store) => store.createFirstAdmin()));
    expect(created.filter(Boolean)).toHaveLength(1);
    const snapshot = await stores[0]?.snapshot();
    expect(snapshot?.keys.map(({ name, role }) => [name, role])).toEqual([["admin", "admin"]]);
    expect(snapshot?.requiresKeys).toBe(false);
  });

  it("keeps the concurrent changes of several processes", async () => {
    const location = await databases.locate(engine);
    const stores = await Promise.all(
      [1, 2, 3].map(async () => createKeyStore(await databases.open(engine, location))),
    );
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        stores[index % 3]?.create({ name: `key ${Math.floor(index / 2)}` }, actor),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(15);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" });
    expect(await stores[0]?.list()).toHaveLength(15);
    expect(await stores[0]?.revision()).toBe(15);
  });

  it("writes each change to the audit log, in pages, without secrets", async () => {
    const db = await databases.open(engine);
    let now = NOW;
    const store = createKeyStore(db, () => now++);
    await store.createTeam({ name: "search" }, actor);
    const { key, secret } = await store.create({ name: "alice" }, actor);
    await store.update("alice", { team: "search" }, actor);
    const rotated = await store.rotate("alice", 0, actor);
    await store.revoke("alice", { name: "command line", address: null });
    const queries = createLedgerQueries(db);
    const entries = [];
    let cursor: string | undefined;
    do {
      const page = await queries.audit({ cursor, limit: 2 });
      entries.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(entries.map(({ action, subject, actor: by, address }) => [action, subject, by, address])).toEqual([
      ["key.revoke", key.id, "command line", null],
      ["key.rotate", key.id, "root", "127.0.0.1"],
      ["key.update", key.id, "root", "127.0.0.1"],
      ["key.create", key.id, "root", "127.0.0.1"],
      ["team.create", "search", "root", "127.0.0.1"],
    ]);
    const text = JSON.stringify(entries);
    for (const hidden of [secret, rotated.secret, hashSecret(secret)]) expect(text).not.toContain(hidden);
    await expect(queries.audit({ cursor: "no cursor", limit: 2 })).rejects.toMatchObject({
      code: "validation",
    });
  });

  it("stores 1,000 keys in 100 teams", async () => {
    const db = await databases.open(engine);
    const teams = Array.from({ length: 100 }, (_, index) => `team ${index}`);
    const none = { created_at: 1, tags: "{}", limits: "{}" };
    await db
      .insertInto("teams")
      .values(teams.map((name) => ({ name, ...none })))
      .execute();
    const row = {
      ...none,
      expires_at: null,
      revoked_at: null,
      models: null,
      mcp: null,
      role: "user",
      first_start: 0,
    };
    const keys = Array.from({ length: 1_000 }, (_, index) => ({
      ...row,
      id: `key_${index}`,
      name: `key ${index}`,
      team: `team ${index % 100}`,
    }));
    await db.insertInto("gateway_keys").values(keys).execute();
    const snapshot = await createKeyStore(db).snapshot();
    expect([snapshot.keys.length, snapshot.teams.length, snapshot.requiresKeys]).toEqual([1_000, 100, true]);
  });
});

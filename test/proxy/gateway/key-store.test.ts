import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../src/database/open-database.ts";
import { hashSecret } from "../../../src/proxy/gateway/key-secret.ts";
import { createKeyStore, type KeyStore } from "../../../src/proxy/gateway/key-store.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const actor = { name: "root", address: "127.0.0.1" };
const NOW = Date.UTC(2026, 0, 2);

async function keyStore(): Promise<{ store: KeyStore; time: { now: number } }> {
  const path = join(await temporaryFolder(), "sallyport.db");
  const db = await openDatabase({ engine: "sqlite", path }, sqliteWorkerFiles);
  onTestFinished(() => db.destroy());
  const time = { now: NOW };
  return { store: createKeyStore(db, () => time.now), time };
}

describe("the key store", () => {
  it("keeps a digest of the secret, and raises the revision with each change", async () => {
    const { store } = await keyStore();
    const before = await store.revision();
    const { key, secret } = await store.create({ name: "alice", limits: { rpm: 60 } }, actor);
    expect(secret).toMatch(/^sk-sally-[A-Za-z0-9_-]{43}$/);
    expect(await store.find("alice")).toEqual(key);
    expect(await store.find(key.id)).toEqual(key);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      name: "alice",
      team: null,
      created_at: "2026-01-02T00:00:00.000Z",
      expires_at: null,
      revoked_at: null,
      models: null,
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

  it("changes the members that are named and keeps the others", async () => {
    const { store } = await keyStore();
    await store.createTeam({ name: "search" }, actor);
    await store.create({ name: "alice", team: "search", limits: { rpm: 60, tpm: 5 } }, actor);
    const budgets = [{ usd: 20, period: "day" as const }];
    const key = await store.update("alice", { limits: { tpm: null, budgets }, tags: { a: "b" } }, actor);
    expect(key).toMatchObject({ team: "search", limits: { rpm: 60, budgets }, tags: { a: "b" } });
    expect(key.limits).not.toHaveProperty("tpm");
  });

  it("lets the former secret work for the grace period of a rotation, and no longer", async () => {
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

  it("refuses a second key of a name, an unknown team, and the deletion of a team with keys", async () => {
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
});

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { periodAt } from "../../../src/proxy/gateway/budget-periods.ts";
import { parseLedgerRow } from "../../../src/proxy/gateway/ledger-row.ts";
import { createMemoryLimits } from "../../../src/proxy/gateway/limits-memory.ts";
import type { SpentBudget } from "../../../src/proxy/gateway/limits-spent.ts";
import { lostCallLine } from "../../../src/proxy/gateway/lost-calls.ts";
import { type OpenGateway, openGateway } from "../../../src/proxy/gateway/open-gateway.ts";
import { readSpent } from "../../../src/proxy/gateway/read-spent.ts";
import { createMemoryConversations } from "../../../src/proxy/translate/conversations/conversation-store.ts";
import { createStoredConversations } from "../../../src/proxy/translate/conversations/shared-conversations.ts";
import { ENGINES, type Location, testDatabases } from "../../support/databases.ts";
import { callLine } from "../../support/ledger-calls.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";
import { configOf } from "../../support/start-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const databases = testDatabases();
const actor = { name: "root", address: null };

/** Opens the database as a proxy does; `spent` receives the amounts spent of new budgets. */
async function open(
  location: Location,
  log: string,
  spent: SpentBudget[] = [],
  settings: object | (() => object) = {},
) {
  const gateway = await openGateway({
    location,
    workerFiles: sqliteWorkerFiles,
    log,
    config: () => configOf(typeof settings === "function" ? settings() : settings),
    onKeys: async (_snapshot, added) => void spent.push(...added),
    keepAdminKey: async () => {},
    note: () => {},
    signal: new AbortController().signal,
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await gateway.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { ...gateway, close };
}

const logIn = async () => join(await temporaryFolder(), "requests.ndjson");
const callOf = (id: string, key_id: string, cost: number, more: object = {}) => ({
  time: new Date().toISOString(),
  id,
  key: "k",
  key_id,
  client: "test",
  route: "/v1/chat/completions",
  model: "m",
  upstream: "u",
  status: 200,
  ms: 5,
  stream: false,
  cost,
  ...more,
});

describe.each(ENGINES)("state that outlives a process, on %s", (engine) => {
  it("includes the spending of the log's calls against the budgets of keys and teams", async () => {
    const location = await databases.locate(engine);
    const log = await logIn();
    const first = await open(location, log);
    const budgets = [{ usd: 3, period: "day" as const }];
    await first.store.createTeam(
      { name: "search", limits: { budgets: [{ usd: 9, period: "month" }] } },
      actor,
    );
    const { key } = await first.store.create({ name: "alice", team: "search", limits: { budgets } }, actor);
    await first.close();
    appendFileSync(log, callLine(callOf("req_1", key.id, 2, { team: "search" })));
    appendFileSync(log, callLine(callOf("req_2", "key_other", 1, { team: "search" })));
    const spent: SpentBudget[] = [];
    const second = await open(location, log, spent);
    const at = (period: "day" | "month") => periodAt(period, Date.now()).start;
    expect(spent).toHaveLength(2);
    expect(spent).toContainEqual({ subject: `key:${key.id}`, period: "day", start: at("day"), micros: 2e6 });
    expect(spent).toContainEqual({
      subject: "team:search",
      period: "month",
      start: at("month"),
      micros: 3e6,
    });
    const limits = createMemoryLimits();
    for (const each of spent) limits.prime(each);
    const subjects = [{ id: `key:${key.id}`, label: "the key", limits: { budgets } }];
    const reservation = {
      id: "r",
      subjects,
      calls: 1,
      tokens: 0,
      micros: 1_500_000,
      inputMicros: 0,
      totalMs: 0,
    };
    expect(await limits.reserve(reservation)).toMatchObject({
      excess: { limit: "budget" },
      states: [{ budgets: [{ remainingMicros: 1e6 }] }],
    });
    // A budget that is added later begins with the amount already spent in its period.
    await second.store.update(key.id, { limits: { budgets: [{ usd: 8, period: "total" }] } }, actor);
    expect(spent.slice(2)).toEqual([
      { subject: `key:${key.id}`, period: "total", start: 0, micros: 2e6, isAdded: true },
    ]);
  });

  it("includes the calls that a key made while its budget was removed", async () => {
    const log = await logIn();
    const spent: SpentBudget[] = [];
    const { store } = await open(await databases.locate(engine), log, spent);
    const budgets = [{ usd: 9, period: "day" as const }];
    const { key } = await store.create({ name: "alice", limits: { budgets } }, actor);
    const limits = createMemoryLimits();
    const left = async () => {
      for (const each of spent.splice(0)) limits.prime(each);
      const subjects = [{ id: `key:${key.id}`, label: "the key", limits: { budgets } }];
      return (await limits.read(subjects))[0]?.budgets[0]?.remainingMicros;
    };
    expect(await left()).toBe(9e6);
    await store.update(key.id, { limits: { budgets: null } }, actor);
    appendFileSync(log, callLine(callOf("req_1", key.id, 2)));
    await store.update(key.id, { limits: { budgets } }, actor);
    expect(await left()).toBe(7e6);
    // A change of another key does not read the amount again.
    await store.create({ name: "bob" }, actor);
    expect(spent).toEqual([]);
  });

  it("includes the amounts spent on earlier days", async () => {
    const location = await databases.locate(engine);
    const log = await logIn();
    const day = 86_400_000;
    for (const [index, ago] of [0, 1, 40].entries())
      appendFileSync(
        log,
        callLine(
          callOf(`req_${index}`, "key_a", 1, { time: new Date(Date.now() - ago * day).toISOString() }),
        ),
      );
    const { close } = await open(location, log);
    await close();
    const db = await databases.open(engine, location);
    const account = { subject: "key:key_a", period: "total" as const };
    expect(await readSpent(db, [account])).toEqual([{ ...account, start: 0, micros: 3e6 }]);
  });

  it("includes the budgets of configured keys", async () => {
    const location = await databases.locate(engine);
    const log = await logIn();
    appendFileSync(log, callLine(callOf("req_1", "config:bob", 4)));
    const limits = { budgets: [{ usd: 5, period: "total" }] };
    const spent: SpentBudget[] = [];
    await open(location, log, spent, { api_keys: [{ name: "bob", sha256: "0".repeat(64), limits }] });
    expect(spent).toEqual([{ subject: "key:config:bob", period: "total", start: 0, micros: 4e6 }]);
  });

  it("includes stored responses, which another process continues and deletes", async () => {
    const location = await databases.locate(engine);
    const log = await logIn();
    const store = ({ store: rows, state }: OpenGateway) =>
      createStoredConversations(
        { directory: undefined as never, store: async () => rows, state },
        createMemoryConversations(),
      );
    const first = await open(location, log);
    const turns = [
      { role: "user" as const, parts: [{ type: "text" as const, text: "Remember 4711 \u0000 déjà" }] },
    ];
    await store(first).save("alice/resp_1", { turns, responseText: '{"id":"resp_1"}' }, 50);
    if (engine === "sqlite") await first.close();
    const second = store(await open(location, log));
    expect(await second.load("alice/resp_1")).toEqual({ turns, responseText: '{"id":"resp_1"}' });
    expect(await second.load("bob/resp_1")).toBeUndefined();
    await second.delete("alice/resp_1");
    expect(await second.load("alice/resp_1")).toBeUndefined();
    if (engine === "postgres") expect(await store(first).load("alice/resp_1")).toBeUndefined();
  });
});

describe("a stored response", () => {
  it("is kept in memory while the database does not respond", async () => {
    const silent = {
      directory: undefined as never,
      store: () => new Promise<never>(() => {}),
      state: () => ({ engine: "postgres", status: "ok", reason: null }) as const,
    };
    const store = createStoredConversations(silent, createMemoryConversations(), 20);
    const turns = [{ role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }];
    await store.save("alice/resp_1", { turns, responseText: "{}" }, 50);
    expect(await store.load("alice/resp_1")).toEqual({ turns, responseText: "{}" });
    await store.delete("alice/resp_1");
    expect(await store.load("alice/resp_1")).toBeUndefined();
  });
});

describe("a reload of the configuration", () => {
  it("is recorded with the names of the settings that it has changed", async () => {
    const location = await databases.locate("sqlite");
    let settings: object = { timeouts: { total: 5 } };
    const { refresh, store } = await open(location, await logIn(), [], () => settings);
    await refresh();
    settings = { timeouts: { total: 6, idle: 7 } };
    await refresh();
    await refresh();
    const { items } = await store.audit({ limit: 10 });
    expect(items.map(({ action, actor }) => [action, actor])).toEqual([
      ["settings.change", "configuration file"],
      ["key.create", "first start"],
    ]);
    expect(items[0]?.detail).toMatchObject({ changed: ["timeouts.idle", "timeouts.total"] });
  });
});

describe("replicas", () => {
  it("are listed by all replicas that share a PostgreSQL database, until they leave", async () => {
    const location = await databases.locate("postgres");
    const first = await open(location, await logIn());
    const second = await open(location, await logIn());
    await first.store.report({ id: "a", version: "1", since: 1_000, inFlight: 2 });
    await second.store.report({ id: "b", version: "1", since: 2_000, inFlight: 0 });
    await first.store.report({ id: "a", version: "1", since: 1_000, inFlight: 3 });
    const both = [
      { id: "a", version: "1", since: 1_000, inFlight: 3 },
      { id: "b", version: "1", since: 2_000, inFlight: 0 },
    ];
    expect(await first.store.replicas()).toEqual(both);
    expect(await second.store.replicas()).toEqual(both);
    await first.store.leave("a");
    expect(await second.store.replicas()).toEqual(both.slice(1));
  });
});

describe("a call whose process has ended", () => {
  it("becomes a row of the ledger with its estimated input cost", () => {
    const meta = {
      time: "2026-01-02T00:00:00.000Z",
      id: "req_0123456789ab7",
      key: "alice",
      key_id: "key_1",
      client: "::1",
      method: "POST",
      route: "/v1/messages",
      model: "m",
      upstream: "a",
      stream: true,
    };
    const lost = { id: meta.id, micros: 250_000, meta: JSON.stringify(meta) };
    const line = lostCallLine(lost, Date.parse(meta.time) + 61_000);
    expect(parseLedgerRow(line ?? "")).toMatchObject({
      id: meta.id,
      key_id: "key_1",
      status: 500,
      error_code: "lost",
      cost_micros: 250_000,
      ms: 61_000,
      replica: "0123456789ab",
    });
  });

  it("gets no row for its reservation at an upstream", () => {
    expect(lostCallLine({ id: "req_1/1", micros: 0, meta: undefined }, 0)).toBeUndefined();
  });
});

import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGateway } from "../../../src/proxy/gateway/open-gateway.ts";
import { testDatabases } from "../../support/databases.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";
import { configOf } from "../../support/start-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const databases = testDatabases();
const actor = { name: "root", address: null };

/** Opens a database whose keys cannot be passed to the proxy while `isFailing` is set. */
async function open() {
  const state = { isFailing: false, names: [] as string[] };
  const gateway = await openGateway({
    location: await databases.locate("sqlite"),
    workerFiles: sqliteWorkerFiles,
    log: join(await temporaryFolder(), "requests.ndjson"),
    config: () => configOf({}),
    async onKeys({ keys }) {
      if (state.isFailing) throw new Error("connection lost");
      state.names = keys.filter(({ revoked_at }) => revoked_at === null).map(({ name }) => name);
    },
    keepAdminKey: async () => {},
    note: () => {},
    signal: new AbortController().signal,
  });
  onTestFinished(gateway.close);
  return { state, store: gateway.store };
}

describe("a change of keys after which the keys cannot be read", () => {
  it("returns the secret, and is passed on when they can be read again", async () => {
    const { state, store } = await open();
    state.isFailing = true;
    const { secret } = await store.create({ name: "alice" }, actor);
    expect(secret).toMatch(/^sk-sally-/);
    expect(state.names).toEqual(["admin"]);
    state.isFailing = false;
    await expect.poll(() => state.names, { timeout: 10_000 }).toEqual(["admin", "alice"]);
    state.isFailing = true;
    await store.revoke("alice", actor);
    state.isFailing = false;
    await expect.poll(() => state.names, { timeout: 10_000 }).toEqual(["admin"]);
  });
});

import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { PrimaryCalls, WorkerStart } from "../../../../src/cli/proxy/workers/calls.ts";
import type { Remote } from "../../../../src/cli/proxy/workers/remote.ts";
import { createWorkerCalls } from "../../../../src/cli/proxy/workers/run-worker.ts";
import { hashSecret } from "../../../../src/proxy/gateway/key-secret.ts";
import type { KeySnapshot } from "../../../../src/proxy/gateway/key-store.ts";
import { configOf } from "../../../support/start-proxy.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** Connecting to Redis, which takes up to three seconds. */
const redis = vi.hoisted(() => ({ connect: () => {} }));
vi.mock("../../../../src/cli/proxy/start/open-limits.ts", () => ({
  openLimits: () =>
    new Promise<void>((resolve) => {
      redis.connect = resolve;
    }),
  primeLimits: async () => {},
}));
vi.mock("../../../../src/cli/proxy/start/limit-heap.ts", () => ({ limitHeap: () => {} }));

const SECRET = "sk-sally-of-alice-0123456789";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function snapshotOf(isRevoked: boolean): KeySnapshot {
  const key = {
    id: "key_1",
    name: "alice",
    team: null,
    created_at: "2026-11-01T00:00:00.000Z",
    expires_at: null,
    revoked_at: isRevoked ? "2026-11-02T00:00:00.000Z" : null,
    models: null,
    mcp: null,
    tags: {},
    role: "user",
    limits: {},
    capture: null,
    source: "database",
  } as const;
  const secrets = isRevoked ? [] : [{ sha256: hashSecret(SECRET), keyId: key.id, validUntil: null }];
  return { revision: isRevoked ? 2 : 1, keys: [key], secrets, teams: [], requiresKeys: true };
}

const primary: Remote<PrimaryCalls> = { call: async () => undefined as never };

it("a worker that starts uses the keys and the configuration that it receives meanwhile", async () => {
  const echo = { upstreams: {}, models: [{ match: "*", upstream: "echo" }] };
  const config = { ...configOf(echo), port: 0 };
  const note = () => {};
  const calls = createWorkerCalls(() => primary, { note } as never);
  const start: WorkerStart = {
    config,
    instanceId: "one-proxy",
    history: { startedAt: Date.now(), configuration: { readAt: Date.now() } },
    keys: snapshotOf(false),
    spent: [],
    ledgerLog: join(await temporaryFolder(), "requests.ndjson"),
  };
  const serving = calls.serve(start);
  await calls.setKeys({ snapshot: snapshotOf(true), spent: [] });
  calls.reload({ ...config, allowedOrigins: ["https://app.example.com"] });
  redis.connect();
  const url = `http://127.0.0.1:${await serving}/v1/models`;
  closers.push(async () => {
    const disconnect = vi.spyOn(process, "disconnect").mockImplementation(() => {});
    await calls.end();
    disconnect.mockRestore();
  });
  const revoked = await fetch(url, { headers: { authorization: `Bearer ${SECRET}` } });
  expect(revoked.status).toBe(401);
  const preflight = await fetch(url, {
    method: "OPTIONS",
    headers: { origin: "https://app.example.com", "access-control-request-method": "GET" },
  });
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
});

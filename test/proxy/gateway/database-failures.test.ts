import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../src/database/open-database.ts";
import { type Location, testDatabases } from "../../support/databases.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startGatewayProxy } from "../../support/gateway-proxy.ts";
import { quietPort } from "../../support/quiet-port.ts";
import { startSilentRelay } from "../../support/silent-relay.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";

const databases = testDatabases();

/** Starts a proxy with a key; `locate` may change where it looks for the database. */
async function start(locate = async (location: Location): Promise<Location> => location) {
  const message = { role: "assistant", content: "hi" };
  const upstream = await startFakeUpstream(
    json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage: { prompt_tokens: 1 } }),
  );
  const server = await databases.postgres();
  const location = await locate(await databases.locate("postgres"));
  const vendor = { dialect: "chat-completions", base_url: upstream.url };
  const settings = {
    auth_mode: "auto",
    upstreams: { vendor },
    models: [{ match: "*", upstream: "vendor" }],
    api_keys: [{ name: "file", sha256: "a".repeat(64) }],
  };
  const proxy = await startGatewayProxy(location, settings);
  const { body } = await proxy.request("POST", "/keys", { name: "alice", limits: { rpm: 1_000 } });
  const ids: string[] = [];
  /** Sends calls one after the other; each must succeed. */
  const call = async (count: number, secret: string = body.secret) => {
    for (let done = 0; done < count; done += 1) {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
      });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      ids.push(response.headers.get("x-sallyport-request-id") ?? "");
    }
  };
  const listed = async () => {
    const response = await proxy.request("GET", "/calls?limit=1000");
    return response.body?.calls?.map(({ id }) => id).toSorted();
  };
  return { proxy, server, location, call, ids, listed, key: body.key };
}

describe("a PostgreSQL server", () => {
  it("that is restarted receives every call, and calls continue meanwhile", async () => {
    const { proxy, server, call, ids, listed } = await start();
    await call(5);
    await expect.poll(listed).toHaveLength(5);
    await server.stop();
    await call(30);
    await expect.poll(() => proxy.gateway.state().status).toBe("down");
    expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
    const failed = await proxy.request("GET", "/calls");
    expect([failed.status, failed.body.error.code]).toEqual([503, "database_unavailable"]);
    expect((await proxy.request("POST", "/keys", { name: "bob" })).status).toBe(503);
    const configured = ["/keys/config:file", "/limits/config:file"].map((path) => proxy.request("GET", path));
    expect((await Promise.all(configured)).map(({ status }) => status)).toEqual([200, 200]);
    expect(proxy.internal).toEqual([]);
    expect([failed.text, ...proxy.notes].join(" ")).not.toContain(server.password);
    await server.start();
    await call(5);
    await expect.poll(listed).toEqual(ids.toSorted());
    await expect.poll(() => proxy.gateway.state().status).toBe("ok");
    const { body } = await proxy.request("GET", "/usage?group_by=key");
    expect(body.rows).toMatchObject([{ key: "alice", calls: 40 }]);
  });

  it("that falls silent gets every call when it responds again, and calls go on meanwhile", async () => {
    const { port } = await databases.postgres();
    const relay = await startSilentRelay(port);
    const { proxy, call, ids, listed } = await start(async (location) => {
      const url = new URL((location as { url: string }).url);
      url.port = String(relay.port);
      url.searchParams.set("query_timeout", "400");
      return { engine: "postgres", url: url.href };
    });
    await call(5);
    await expect.poll(listed).toHaveLength(5);
    relay.silence();
    const failed = await proxy.request("GET", "/calls");
    expect([failed.status, failed.body.error.code]).toEqual([503, "database_unavailable"]);
    await call(30);
    await expect.poll(() => proxy.gateway.state().status).toBe("down");
    expect(await proxy.gateway.state().reason).not.toBeNull();
    expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
    relay.resume();
    await call(5);
    await expect.poll(listed).toEqual(ids.toSorted());
    await expect.poll(() => proxy.gateway.state().status).toBe("ok");
    expect(proxy.internal).toEqual([]);
  });

  it("that is killed during writes contains each call once", async () => {
    const { server, call, ids, listed } = await start();
    for (let round = 0; round < 3; round += 1) {
      await call(10);
      await server.stop("SIGQUIT");
      await call(10);
      await server.start();
    }
    await expect.poll(listed).toEqual(ids.toSorted());
  });

  it("that ends a connection between two queries of a transaction fails only that transaction", async () => {
    const server = await databases.postgres();
    const location = await databases.locate("postgres");
    const db = await openDatabase(location, sqliteWorkerFiles);
    onTestFinished(() => db.destroy());
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.once("uncaughtException", note);
    onTestFinished(() => void process.off("uncaughtException", note));
    const cut = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await server.query(`select pg_terminate_backend(${rows[0]?.pid}, 5000)`);
      await setTimeout(100);
      await sql`select 1`.execute(trx);
    });
    await expect(cut).rejects.toThrow();
    expect(unhandled).toEqual([]);
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it("that is replaced by an empty database receives the keys and the calls of the log", async () => {
    const { proxy, server, location, call, ids, listed, key } = await start();
    await call(5);
    await expect.poll(listed).toHaveLength(5);
    const name = new URL((location as { url: string }).url).pathname.slice(1);
    await server.query(`drop database ${name} with (force)`);
    await call(5);
    await server.query(`create database ${name} template template0`);
    await call(5);
    await expect.poll(listed).toEqual(ids.toSorted());
    expect((await proxy.request("GET", `/keys/${key.id}`)).body.key).toEqual(key);
    const { body } = await proxy.request("POST", "/keys", { name: "bob" });
    await call(1);
    await call(1, body.secret);
    expect((await fetch(`${proxy.url}/v1/models`)).status).toBe(401);
    expect((await proxy.request("GET", "/audit")).body.entries.at(-1)?.action).toBe("keys.restore");
    expect(proxy.internal).toEqual([]);
  });

  it("that cannot be used at the start is named without its password", async () => {
    const { url } = (await databases.locate("postgres")) as { url: string };
    const port = await quietPort();
    const change = (members: Partial<URL>) => Object.assign(new URL(url), members).href;
    const wrong: [url: string, reason: RegExp][] = [
      [change({ port: String(port) }), /ECONNREFUSED/],
      [change({ password: "pg-wrong-secret" }), /password authentication failed/],
      [change({ pathname: "/none" }), /does not exist/],
    ];
    for (const [each, reason] of wrong) {
      const failed = openDatabase({ engine: "postgres", url: each }, sqliteWorkerFiles);
      const error = await failed.catch((caught) => caught);
      expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(reason) });
      expect(error.message).toContain("127.0.0.1");
      expect(`${error.message}${error.hint}`).not.toContain(new URL(each).password);
    }
  });
});

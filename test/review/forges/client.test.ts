import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createForgeClient, nextLink, readPages } from "../../../src/review/forges/client.ts";

async function startClient(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const waits: string[] = [];
  const client = createForgeClient({
    forge: "github",
    host: "forge.test",
    base,
    signIn: { authorization: "Bearer secret-token", secret: "secret-token" },
    onWait: (message) => waits.push(message),
  });
  return { client, base, waits };
}

describe("a forge's client", () => {
  it.each([
    [401, "{}", "forge_sign_in", "gh auth login"],
    [403, '{"message":"Resource not accessible"}', "forge_forbidden", "repo"],
    [404, "{}", "forge_not_found", "Check the address"],
    [422, '{"message":"Validation failed"}', "forge_rejected", undefined],
    [500, "oops", "forge_error", undefined],
  ])("reports the cause of the status %i and the remedy", async (status, body, code, hint) => {
    const { client } = await startClient((_request, response) => response.writeHead(status).end(body));
    const error = await client.send({ method: "POST", path: "/x" }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining("forge.test") });
    if (hint !== undefined) expect(error.hint).toContain(hint);
  });

  it("reports a sign-in page as a rejected sign-in, with its status", async () => {
    const { client } = await startClient((_request, response) => response.writeHead(203).end("<html>"));
    await expect(client.send({ path: "/x" })).rejects.toMatchObject({
      code: "forge_sign_in",
      message: "forge.test rejected the sign-in (203: the response is a sign-in page)",
    });
  });

  it("removes the token from the reason that a forge gives", async () => {
    const { client } = await startClient((_request, response) =>
      response.writeHead(422).end('{"message":"bad secret-token"}'),
    );
    await expect(client.send({ path: "/x" })).rejects.toThrow("bad ***");
  });

  it("waits for a rate limit, and repeats only then a write", async () => {
    let calls = 0;
    const { client, waits } = await startClient((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(429, { "retry-after": "1" }).end("{}");
      else response.writeHead(200).end("{}");
    });
    expect((await client.send({ method: "POST", path: "/x", json: {} })).status).toBe(200);
    expect(waits).toEqual(["forge.test limits the rate of requests. Continuing in 1 s"]);
  });

  it("waits until a date, and for a limit of GraphQL, whose status is 200", async () => {
    let calls = 0;
    const { client, waits } = await startClient((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { "retry-after": new Date(Date.now() + 900).toUTCString() });
      else if (calls === 2) response.writeHead(200, { "x-ratelimit-reset": "0" });
      else response.writeHead(200);
      response.end(calls === 2 ? '{"errors":[{"type":"RATE_LIMITED"}]}' : "{}");
    });
    const isLimited = (body: Buffer) => body.includes("RATE_LIMITED");
    const { body } = await client.send({ method: "POST", path: "/x", json: {}, isLimited });
    expect(body.toString()).toBe("{}");
    expect(waits).toEqual(Array(2).fill("forge.test limits the rate of requests. Continuing in 1 s"));
  });

  it("does not wait for a limit that lasts longer than two minutes", async () => {
    const { client } = await startClient((_request, response) =>
      response
        .writeHead(403, {
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": String(Date.now() / 1_000 + 1_800),
        })
        .end("{}"),
    );
    await expect(client.send({ path: "/x" })).rejects.toMatchObject({
      code: "forge_rate_limited",
      status: 429,
    });
  });

  it("repeats a read after a broken connection, and never a write", async () => {
    let calls = 0;
    const { client } = await startClient((request, response) => {
      calls += 1;
      if (calls % 2 === 1) request.socket.destroy();
      else response.end("{}");
    });
    expect((await client.send({ path: "/x" })).status).toBe(200);
    await expect(client.send({ method: "POST", path: "/x" })).rejects.toMatchObject({ code: "forge_error" });
    expect(calls).toBe(3);
  });

  it("reads all pages, and follows no link to another host", async () => {
    const { client, base } = await startClient((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
      const page = Number(searchParams.get("page") ?? 1);
      const target =
        pathname === "/list" ? `http://${request.headers.host}/list?page=${page + 1}` : "https://evil.test/";
      response.writeHead(200, page < 3 ? { link: `<${target}>; rel="next", <x>; rel="last"` } : {});
      response.end(JSON.stringify([page]));
    });
    expect(base).not.toBe("");
    expect(await readPages(client, z.array(z.number()), { path: "/list" })).toEqual([1, 2, 3]);
    await expect(readPages(client, z.array(z.number()), { path: "/evil" })).rejects.toThrow("another host");
  });

  it("follows no redirect to another host", async () => {
    const { client } = await startClient((_request, response) =>
      response.writeHead(302, { location: "https://evil.test/sign-in" }).end(),
    );
    await expect(client.send({ path: "/x" })).rejects.toThrow("redirects /x to https://evil.test/sign-in");
  });
});

describe("nextLink", () => {
  it.each([
    ['<https://a.test/?page=2>; rel="next", <https://a.test/?page=9>; rel="last"', "https://a.test/?page=2"],
    ['<https://a.test/?q=a,b&page=2>; rel="prev next"', "https://a.test/?q=a,b&page=2"],
    ['<https://a.test/>; rel="first"', undefined],
    ["", undefined],
  ])("of %j is %s", (link, next) => {
    expect(nextLink(new Headers(link === "" ? {} : { link }))).toBe(next);
  });
});

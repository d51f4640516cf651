import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeAuthority, VALID } from "../certificates.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface ForgeCall {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: URL;
  readonly authorization: string;
  readonly accept: string;
  // The body of a fake's request: each fake reads the members that it knows.
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ForgeResult {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `break` executes the call and closes the connection without a response. */
export type Interference = (call: ForgeCall) => ForgeResult | "break" | undefined;

/** A forge on loopback over HTTPS. */
export interface RunningForge {
  readonly host: string;
  readonly origin: string;
  readonly calls: readonly ForgeCall[];
  /** Called before each call. */
  interfere: Interference;
  /** Environment with which a command trusts the certificate. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts a forge whose calls `handle` responds to; calls without the token are rejected. Another hostname than
 * `localhost` is reachable only through an HTTP proxy.
 */
export async function startForge(
  token: string,
  handle: (call: ForgeCall, origin: string) => ForgeResult,
  hostname = "localhost",
): Promise<RunningForge> {
  const authority = makeAuthority("forge tests");
  const certificate = authority.issue({ host: hostname, ...VALID });
  const calls: ForgeCall[] = [];
  const server = createServer(certificate, async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const call: ForgeCall = {
      method: request.method ?? "GET",
      url: new URL(request.url ?? "/", forge.origin),
      authorization: request.headers.authorization ?? "",
      accept: request.headers.accept ?? "",
      json: body === "" ? {} : JSON.parse(body),
    };
    calls.push(call);
    const interference = forge.interfere(call);
    const isSignedIn = call.authorization.includes(token);
    const result =
      typeof interference === "object"
        ? interference
        : isSignedIn
          ? handle(call, forge.origin)
          : { status: 401, json: { message: "Unauthorized" } };
    if (interference === "break") {
      request.socket.destroy();
      return;
    }
    const type = result.text === undefined ? "application/json" : "text/plain; charset=utf-8";
    response.writeHead(result.status, { "content-type": type, ...result.headers });
    response.end(result.text ?? (result.json === undefined ? "" : JSON.stringify(result.json)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const folder = await temporaryFolder();
  const path = join(folder, "authority.pem");
  await writeFile(path, authority.cert);
  const forge: RunningForge = {
    host: `${hostname}:${port}`,
    origin: `https://${hostname}:${port}`,
    calls,
    interfere: () => undefined,
    environment: { NODE_EXTRA_CA_CERTS: path },
  };
  return forge;
}

/** One route of a fake: method, pattern of the path, and its handler, which gets the groups of the pattern. */
export type Route = readonly [
  method: string,
  pattern: RegExp,
  handle: (call: ForgeCall, groups: readonly string[]) => ForgeResult,
];

/** Responds with the first route that matches, else with 404. */
export function route(routes: readonly Route[], call: ForgeCall): ForgeResult {
  for (const [method, pattern, handle] of routes) {
    const match = method === call.method ? pattern.exec(call.url.pathname) : null;
    if (match) return handle(call, match.slice(1));
  }
  return { status: 404, json: { message: "Not Found" } };
}

/** Returns one page of a list, as `page` and `per_page` or `pagelen` ask for it, and whether more follow. */
export function pageOf<Item>(list: readonly Item[], { url }: ForgeCall, sizeName: string, usual: number) {
  const size = Math.min(Number(url.searchParams.get(sizeName) ?? usual), 100);
  const page = Number(url.searchParams.get("page") ?? 1);
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  return {
    items: list.slice((page - 1) * size, page * size),
    next: page * size < list.length ? next.href : undefined,
  };
}

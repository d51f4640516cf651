import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { ProxyKey, UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError, getErrorMessage } from "../../errors.ts";
import { endWithKey } from "../../http/end-with-key.ts";
import { getPath } from "../../http/request-path.ts";
import { keyInProtocol, listProtocols } from "../auth/credentials.ts";
import { getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { matchesGlob } from "../glob.ts";
import { withoutKey } from "../pipeline/operation-path.ts";
import { choosePassThroughTarget } from "../pipeline/pass-through-target.ts";
import { type AdmittedUpgrade, WebSocketCall } from "../pipeline/websocket-call.ts";
import { NO_FACTS } from "../routing/call-facts.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";
import { parseBaseUrl, withQuery } from "../upstream/clients.ts";
import { openWebSocket, type UpstreamWebSocket } from "../upstream/open-websocket.ts";
import { upstreamHeaders, viaHeader } from "../upstream/request-headers.ts";
import { keepOpen } from "./keep-open.ts";

/** Maximum bytes that wait for the client or the upstream. The connection is closed if more are waiting. */
const MAX_UNREAD = 16 * 1024 * 1024;
const CLOSE = { restarting: 1012, tooSlow: 1013, failed: 1011, forbidden: 1008 } as const;

/** Relays WebSockets to upstreams, for OpenAI's realtime API and Google's Live API. */
export class RelayedWebSockets {
  private readonly clients = new Set<WebSocket>();

  constructor(private readonly services: Services) {}

  /**
   * Opens a WebSocket to an upstream, then accepts the client's WebSocket. Rejects with an `AppError` if the client's
   * key or a limit does not allow the call, if no upstream can serve it, or if the upstream's WebSocket cannot be
   * opened.
   */
  async accept(upgrade: AdmittedUpgrade): Promise<void> {
    const { searchParams } = new URL(upgrade.request.url ?? "", "http://proxy");
    const model = searchParams.get("model") ?? undefined;
    const call = new WebSocketCall(this.services, upgrade, model);
    try {
      await this.connect(upgrade, call);
    } catch (error) {
      call.end(error instanceof AppError ? error : new AppError("internal", getErrorMessage(error)));
      throw error;
    }
  }

  /** Closes all connections immediately. */
  stop(): void {
    for (const client of this.clients) {
      client.close(CLOSE.restarting, "The proxy is stopping");
      client.terminate();
    }
  }

  private async connect(upgrade: AdmittedUpgrade, call: WebSocketCall): Promise<void> {
    const { request, socket, head, key } = upgrade;
    const { services } = this;
    const { model, runtime } = call;
    const prohibition = findProhibition(key, model);
    if (prohibition !== undefined) throw prohibition;
    const { dialect } = upgrade.route;
    const { headers } = request;
    const target = await choosePassThroughTarget(runtime, {
      what: "WebSocket",
      headers,
      dialect,
      model,
      facts: NO_FACTS,
    });
    await call.begin(target);
    const { upstream } = target;
    const waiting: (string | Buffer)[] = [];
    let client: WebSocket | undefined;
    const opened = await openWebSocket(
      services.pools,
      upstream,
      {
        path: toUpstreamPath(target, request.url ?? "", dialect),
        headers: upstreamHeaders(request.rawHeaders, upstream, {
          key: upstream.keys[0],
          via: viaHeader(headers, services.instanceId),
          acceptEncoding: undefined,
          contentLength: undefined,
          contentCoding: undefined,
          isShared: runtime.isShared,
          keys: runtime.keys,
        }),
        protocols: forwardedProtocols(request, upstream, runtime),
      },
      {
        onMessage(data) {
          call.observe(data);
          if (client === undefined) waiting.push(data);
          else if (client.bufferedAmount > MAX_UNREAD)
            client.close(CLOSE.tooSlow, "The client reads too slowly");
          else client.send(data);
        },
        onClose: (code, reason) =>
          client?.close(code === 1005 || code === 1006 ? CLOSE.failed : code, reason),
      },
    );
    if (services.isDraining()) {
      opened.close(1000, "");
      throw new AppError("overloaded", "The proxy is stopping");
    }
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: runtime.config.limits.body,
      perMessageDeflate: false,
      handleProtocols: () => opened.protocol || false,
    });
    const isConnected = socket.readable && socket.writable;
    server.handleUpgrade(request, socket, head, (accepted) => {
      client = accepted;
      this.join(accepted, opened, call);
      endWithKey(
        accepted,
        () => isStillAllowed(upgrade, model),
        () => accepted.close(CLOSE.forbidden, "The key does not allow the WebSocket any longer"),
      );
      for (const data of waiting.splice(0)) accepted.send(data);
    });
    // `handleUpgrade` itself rejects an invalid handshake, and ignores a client that has disconnected.
    if (client !== undefined) return;
    opened.close(1000, "");
    call.end(
      isConnected
        ? new AppError("validation", "The handshake of the WebSocket is invalid")
        : new AppError("client_gone", "The client disconnected before its WebSocket was open"),
    );
  }

  private join(client: WebSocket, upstream: UpstreamWebSocket, call: WebSocketCall): void {
    this.clients.add(client);
    keepOpen(client, call.runtime.config.pingMs, () => {
      client.ping();
      upstream.ping();
    });
    client.on("message", (data, isBinary) => {
      const bytes = data as Buffer;
      if (upstream.bufferedAmount > MAX_UNREAD) client.close(CLOSE.tooSlow, "The upstream reads too slowly");
      else upstream.send(isBinary ? bytes : bytes.toString("utf8"));
    });
    client.on("error", () => client.terminate());
    client.once("close", (code, reason) => {
      this.clients.delete(client);
      upstream.close(code, reason.toString("utf8").slice(0, 100));
      call.end();
    });
  }
}

/**
 * Returns the error if the key does not allow the model, or if the key or its team has a token limit or a budget, which
 * cannot be enforced on an open connection.
 */
function findProhibition(key: ProxyKey | undefined, model: string | undefined): AppError | undefined {
  if (key === undefined) return undefined;
  const hasLimits = key.subjects?.some(({ limits }) => limits.tpm !== undefined || limits.budgets?.length);
  if (hasLimits)
    return new AppError(
      "model_not_allowed",
      `The key ${JSON.stringify(key.name)} or its team has a token limit or a budget, which cannot be enforced on a WebSocket. Use a key without these limits.`,
    );
  if (key.models === undefined) return undefined;
  if (model !== undefined && key.models.some((pattern) => matchesGlob(pattern, model))) return undefined;
  const called =
    model === undefined
      ? "open a WebSocket that names no model"
      : `call the model ${JSON.stringify(model.slice(0, 200))}`;
  return new AppError(
    "model_not_allowed",
    `The key ${JSON.stringify(key.name)} may not ${called}. Allowed: ${key.models.join(", ").slice(0, 500)}.`,
  );
}

/**
 * Returns whether the key of an open WebSocket still allows it. Returns true while the proxy is stopping, because the
 * proxy then closes the WebSocket with its own code.
 */
function isStillAllowed({ admitAgain }: AdmittedUpgrade, model: string | undefined): boolean {
  const { key, refusal } = admitAgain();
  if (refusal !== undefined) return refusal === "stopping";
  return findProhibition(key, model) === undefined;
}

/**
 * Returns the path at the upstream: below its base URL, or from the root for Google's Live API. Its query names the
 * upstream's model, and includes the base URL's own query, such as `api-version=…`.
 */
function toUpstreamPath({ upstream, model }: Target, url: string, dialect: Dialect): string {
  const at = url.indexOf("?");
  const query = at < 0 ? "" : withModel(withoutKey(url.slice(at)), model);
  const path = getPath(url);
  const base = parseBaseUrl(upstream.baseUrl);
  const isFromRoot = getProfile(dialect).client.namesModelInPath;
  return withQuery(`${isFromRoot ? path : `${base.prefix}${path.replace(/^\/v1/, "")}`}${query}`, base.query);
}

/**
 * Returns a query whose `model` is this one. Drops repeated members, of which an upstream may read another one than the
 * one that was checked against the key.
 */
function withModel(query: string, model: string): string {
  let isNamed = false;
  const pairs = query.slice(1).split("&");
  const kept = pairs.flatMap((pair) => {
    if (!new URLSearchParams(pair).has("model")) return pair;
    if (isNamed) return [];
    isNamed = true;
    return `model=${encodeURIComponent(model)}`;
  });
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

/**
 * Returns the protocols to offer to the upstream: those of the client, except a key for the proxy. The client's own key
 * is forwarded only to an upstream that expects it.
 */
function forwardedProtocols(
  { headers }: IncomingMessage,
  { credentials }: UpstreamConfig,
  { keys }: Runtime,
): string[] {
  return listProtocols(headers).filter((protocol) => {
    const key = keyInProtocol(protocol);
    return key === undefined || (credentials === "client" && keys.find([key]) === undefined);
  });
}

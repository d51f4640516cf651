import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import { createNotification } from "./json-rpc.ts";
import type { McpLink, ServerMessage } from "./link.ts";
import { META } from "./revisions.ts";

/** Sends a message to the client. */
export type Emit = (message: ServerMessage) => void;

/** A stream of messages to a client, and the servers that send these messages. */
export class ClientStream {
  private readonly ends = new Map<string, { readonly link: McpLink; readonly end: () => void }>();
  private isEnded = false;

  constructor(
    readonly emit: Emit,
    private readonly begin: (server: GatewayServer, link: McpLink) => () => void,
  ) {}

  listen(server: GatewayServer, link: McpLink): void {
    if (this.isEnded || this.ends.get(server.name)?.link === link) return;
    this.ends.get(server.name)?.end();
    this.ends.set(server.name, { link, end: this.begin(server, link) });
  }

  listenAgain(server: GatewayServer): void {
    const known = this.ends.get(server.name);
    if (known === undefined) return;
    known.end();
    this.ends.set(server.name, { link: known.link, end: this.begin(server, known.link) });
  }

  end(): void {
    this.isEnded = true;
    for (const { end } of this.ends.values()) end();
    this.ends.clear();
  }
}

/** Removes the id of the gateway's own subscription from a server's notification. */
export function withoutSubscription(message: ServerMessage): ServerMessage {
  const meta = asObject(message.params?.["_meta"]);
  if (meta[META.subscription] === undefined) return message;
  const { [META.subscription]: _, ...others } = meta;
  const { _meta, ...params } = message.params ?? {};
  const kept = Object.keys(others).length > 0 ? { ...params, _meta: others } : params;
  return createNotification(message.method, kept);
}

import { AppError, getErrorMessage } from "../../../errors.ts";
import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import { RPC_ERRORS, type RpcParams } from "./json-rpc.ts";
import type { McpLink } from "./link.ts";
import { LISTS, type ListMethod, prefixItem } from "./names.ts";
import { settledWithin } from "./wait.ts";

export interface Listed {
  readonly items: readonly RpcParams[];
  /** Servers whose items are missing. */
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
}

/** The parts that the lists of all sessions share. */
export interface ListHost {
  /** Milliseconds for which a list waits for a server. */
  listMs(): number;
  /** Servers that did not respond in time; lists wait only `SLOW_MS` for them. */
  readonly slow: Set<string>;
}

interface ListParts {
  readonly host: ListHost;
  link(server: GatewayServer): Promise<McpLink>;
  readonly closing: AbortSignal;
  /** Called when lists may have changed, because a server has responded late. */
  onChanged(): void;
}

/** Maximum milliseconds for reading a server's list. */
const FETCH_MS = 60_000;
/** Milliseconds that a list waits for a server that was slow before. */
const SLOW_MS = 200;
const MAX_PAGES = 200;

/** Reads and retains the lists of the servers of one session. */
export class ServerLists {
  private readonly pending = new Map<string, Promise<readonly RpcParams[]>>();
  private readonly known = new Map<string, readonly RpcParams[]>();

  constructor(private readonly parts: ListParts) {}

  /**
   * Lists the items of all servers. Omits servers that fail. Lists the last known items of a server that does not
   * respond in time, or omits the server if there are none.
   */
  async list(servers: readonly GatewayServer[], method: ListMethod): Promise<Listed> {
    const lists = await Promise.all(servers.map((server) => this.listOne(server, method)));
    const items = lists.flatMap((each) => each.items);
    return { items, missing: lists.flatMap((each) => each.missing) };
  }

  /**
   * Returns the last known list of a server, with the server's own names. Reads the list if none is known; returns an
   * empty list if that fails.
   */
  async latest(server: GatewayServer, method: ListMethod): Promise<readonly RpcParams[]> {
    const id = `${server.name}\n${method}`;
    return this.known.get(id) ?? (await this.begin(id, server, method).catch(() => []));
  }

  private async listOne(server: GatewayServer, method: ListMethod): Promise<Listed> {
    const { slow } = this.parts.host;
    const id = `${server.name}\n${method}`;
    const pending = this.pending.get(id) ?? this.begin(id, server, method);
    const wait = slow.has(server.name) ? SLOW_MS : this.parts.host.listMs();
    const outcome = await settledWithin(pending, wait);
    const missing = (reason: string): Listed => ({ items: [], missing: [{ server: server.name, reason }] });
    if (outcome === undefined) {
      slow.add(server.name);
      const last = this.known.get(id);
      return last === undefined ? missing("it has not responded in time") : this.show(server, method, last);
    }
    return outcome.isDone
      ? this.show(server, method, outcome.value)
      : missing(getErrorMessage(outcome.error));
  }

  private begin(id: string, server: GatewayServer, method: ListMethod): Promise<readonly RpcParams[]> {
    const pending = this.fetch(server, method);
    this.pending.set(id, pending);
    pending.then(
      (items) => {
        this.known.set(id, items);
        this.pending.delete(id);
        if (!this.parts.host.slow.delete(server.name)) return;
        // Earlier lists were returned without the latest items of this server.
        this.parts.onChanged();
      },
      () => void this.pending.delete(id),
    );
    return pending;
  }

  /** Reads all pages of a server's list, at most `MAX_PAGES`. */
  private async fetch(server: GatewayServer, method: ListMethod): Promise<readonly RpcParams[]> {
    const link = await this.parts.link(server);
    const [family = ""] = method.split("/");
    if (link.facts.capabilities[family] === undefined) return [];
    const signal = AbortSignal.any([this.parts.closing, AbortSignal.timeout(FETCH_MS)]);
    const items: RpcParams[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = cursor === undefined ? undefined : { cursor };
      const { result, error } = await link.request({ method, params, signal, onMessage: () => {} });
      if (error !== undefined) {
        // A server may have resources without templates.
        if (error.code === RPC_ERRORS.methodNotFound) break;
        throw new AppError("upstream_error", `The MCP server ${server.name} failed: ${error.message}`);
      }
      const found = result?.[LISTS[method].member];
      if (Array.isArray(found)) items.push(...found.map(asObject));
      const next = result?.["nextCursor"];
      if (typeof next !== "string" || next === cursor) break;
      cursor = next;
    }
    return items;
  }

  private show(server: GatewayServer, method: ListMethod, items: readonly RpcParams[]): Listed {
    const isNamed = LISTS[method].id === "name";
    const allowed = server.isWhole
      ? items
      : items.filter(({ name }) => isNamed && typeof name === "string" && server.allows(name));
    return { items: allowed.map((item) => prefixItem(method, item, server.prefix)), missing: [] };
  }
}

import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { KeySnapshot } from "../../../proxy/gateway/key-store.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";

/** A proxy as `proxy start` controls it, in this process or in several workers. */
export interface Serving {
  /**
   * Resolves to the port once the proxy serves calls. Rejects with `port_in_use` or `cannot_listen`; with workers,
   * `broken` rejects instead.
   */
  listen(): Promise<number>;
  /**
   * Applies another configuration in every process. Rejects if it cannot be used; the previous one then stays in use.
   */
  reload(config: ProxyConfig): Promise<void>;
  /** Shows on the dashboard why another configuration was not applied. */
  noteRefused(reason: string): void;
  /**
   * Passes the keys of the database to the processes that serve calls, and the spent amounts of budgets that these
   * processes do not count yet.
   */
  setKeys(snapshot: KeySnapshot, spent: readonly SpentBudget[]): Promise<void>;
  /** Announces the stop to load balancers. Calls are still served. */
  announceStop(): Promise<void>;
  /** Returns the descriptor of the listening socket, or undefined if another process cannot inherit it. */
  listener(): number | undefined;
  /** Stops accepting connections, and resolves when all calls on existing connections have ended. */
  retire(): Promise<void>;
  /**
   * Begins to drain: stops accepting connections, and still serves the calls on open ones. Resolves when the listener
   * is closed, so that another process can bind its port.
   */
  refuse(): Promise<void>;
  /** Resolves, after `refuse`, when no call is running. */
  drained(): Promise<void>;
  /** Ends all calls at once. Resolves when all connections are closed and all lines are written. */
  close(): Promise<void>;
  /** Rejects if the proxy cannot continue. */
  readonly broken: Promise<never>;
}

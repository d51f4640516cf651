import type { UpstreamDialect } from "../config/proxy/config.ts";
import type { InstallTarget } from "./agent.ts";
import type { FileEdit } from "./file-edits/file-edit.ts";

/** The address, key and models with which a client uses the proxy. */
export interface Connection {
  /** The proxy's URL without a trailing slash: http://127.0.0.1:8045 */
  readonly url: string;
  /**
   * The key that the client sends to the proxy, or a placeholder if the proxy requires none: some clients do not start
   * without a key. If undefined, the client sends only its own login (see `ownLogin`).
   */
  readonly key: string | undefined;
  /** Whether the client keeps its own login because an upstream of its dialect has `credentials: "client"`. */
  readonly ownLogin: boolean;
  /** The models that the proxy offers, for clients that need their names configured. */
  readonly models: readonly string[];
}

/**
 * The connection for finding and removing a client's edits. It suffices because the receipts contain the files' text
 * before and after `connect`.
 */
export const NO_CONNECTION: Connection = { url: "", key: "", ownLogin: false, models: [] };

/** The arguments and variables with which an agent uses the proxy without a file. */
export interface Launch {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Connects an agent or SDK to the proxy. */
export interface ProxyConnector {
  /** The dialects that the client uses with the proxy. */
  readonly dialects: readonly UpstreamDialect[];
  /** Whether the client can send the proxy's key in addition to its own login. */
  readonly sendsKeyBesideLogin: boolean;
  /** Returns the edits of the client's files; empty for clients that only read variables. */
  edits(target: InstallTarget, connection: Connection): readonly FileEdit[];
  /** Returns variables with the same effect for a single shell; empty if the client has no such variables. */
  variables(connection: Connection): Readonly<Record<string, string>>;
  /** Returns how `sallyport run` starts the agent with this connection, where `variables` are not enough. */
  launch?(connection: Connection): Launch;
  /** Whether the models' names must be configured. */
  readonly needsModels: boolean;
  /** Returns notes on what the person still has to do or should know. */
  notes(connection: Connection): readonly string[];
}

export interface VariablesOnly {
  readonly dialects: readonly UpstreamDialect[];
  /** The variable that holds the key. */
  readonly keyVariable: string;
  readonly address: (url: string) => Readonly<Record<string, string>>;
  readonly notes?: readonly string[] | undefined;
}

/** Returns the connector of a client that is configured only by variables. */
export function variablesOnly({ dialects, keyVariable, address, notes = [] }: VariablesOnly): ProxyConnector {
  return {
    dialects,
    sendsKeyBesideLogin: false,
    edits: () => [],
    variables: ({ url, key }) => ({ ...address(url), ...(key === undefined ? {} : { [keyVariable]: key }) }),
    needsModels: false,
    notes: ({ key }) =>
      key === undefined ? [`${keyVariable} stays your own; the proxy passes it on.`, ...notes] : notes,
  };
}

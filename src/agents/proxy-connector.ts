import type { UpstreamDialect } from "../config/proxy/config.ts";
import type { InstallTarget } from "./agent.ts";
import type { FileEdit } from "./file-edits/file-edit.ts";

/** The proxy as a client is to reach it. */
export interface Connection {
  /** Without a slash at the end: http://127.0.0.1:8045 */
  readonly url: string;
  /**
   * The key that the client sends to the proxy, or any word where the proxy requires none: clients refuse to start
   * without one. `undefined`: the client sends its own login alone (see `ownLogin`).
   */
  readonly key: string | undefined;
  /** Whether the client keeps its own login, because an upstream of its dialect has `credentials: "client"`. */
  readonly ownLogin: boolean;
  /** What the proxy offers, for clients that must be told the names. */
  readonly models: readonly string[];
}

/** How an agent or SDK is pointed at the proxy. */
export interface ProxyConnector {
  /** The dialects the client speaks to the proxy. */
  readonly dialects: readonly UpstreamDialect[];
  /** Whether the client can send the proxy's key beside its own login. */
  readonly sendsKeyBesideLogin: boolean;
  /** Returns the files to edit; none for clients that go by variables alone. Pure. */
  edits(target: InstallTarget, connection: Connection): readonly FileEdit[];
  /** Returns the variables that do the same for one shell; none for clients that have no such variables. */
  variables(connection: Connection): Readonly<Record<string, string>>;
  /** Whether the names of models have to be written down. */
  readonly needsModels: boolean;
  /** Returns what the person still has to do or should know. */
  notes(connection: Connection): readonly string[];
}

export interface VariablesOnly {
  readonly dialects: readonly UpstreamDialect[];
  /** The variable that holds the key. */
  readonly keyVariable: string;
  readonly address: (url: string) => Readonly<Record<string, string>>;
  readonly notes?: readonly string[] | undefined;
}

/** Returns the connector of a client that reads its settings from variables alone. */
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

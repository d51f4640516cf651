import type { UpstreamDialect } from "../config/proxy/config.ts";
import type { Place } from "./agent.ts";
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

/** An agent or SDK that can be pointed at the proxy. */
export interface Connector {
  /** As in `sallyport proxy connect ID`. */
  readonly id: string;
  readonly name: string;
  /** The dialects the client speaks to the proxy. */
  readonly dialects: readonly UpstreamDialect[];
  /** Whether the client can send the proxy's key beside its own login. */
  readonly sendsKeyBesideLogin: boolean;
  /** The files to edit; none for clients that go by variables alone. Pure. */
  edits(place: Place, connection: Connection): readonly FileEdit[];
  /** The variables that do the same for one shell; none for clients that have no such variables. */
  variables(connection: Connection): Readonly<Record<string, string>>;
  /** Whether the names of models have to be written down. */
  readonly needsModels: boolean;
  /** What the person still has to do or should know. */
  notes(connection: Connection): readonly string[];
}

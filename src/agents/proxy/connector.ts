import type { Place } from "../agent.ts";
import type { FileEdit } from "../edits/file-edit.ts";

/** The proxy as a client is to reach it. */
export interface Connection {
  /** Without a slash at the end: http://127.0.0.1:8045 */
  readonly url: string;
  /** A key of the proxy's, or any word where it asks for none: clients refuse to start without one. */
  readonly key: string;
  /** What the proxy offers, for clients that must be told the names. */
  readonly models: readonly string[];
}

/** An agent or SDK that can be pointed at the proxy. */
export interface Connector {
  /** As in `sallyport proxy connect ID`. */
  readonly id: string;
  readonly name: string;
  /** The files to edit; none for clients that go by variables alone. Pure. */
  edits(place: Place, connection: Connection): readonly FileEdit[];
  /** The variables that do the same for one shell; none for clients that have no such variables. */
  variables(connection: Connection): Readonly<Record<string, string>>;
  /** Whether the names of models have to be written down. */
  readonly needsModels: boolean;
  /** What the person still has to do or should know. */
  readonly notes: readonly string[];
}

import type { ServiceManagerName } from "../running-proxies.ts";
import type { ServiceDefinition } from "./definition.ts";

/** The state of the service. */
export interface ServiceState {
  readonly installed: boolean;
  /** Whether it starts at login. */
  readonly enabled: boolean;
  readonly running: boolean;
  /** The manager's own word for the state. */
  readonly detail: string;
}

/** The files and the service manager's commands with which the proxy runs as a service of this user. */
export interface ServiceManager {
  readonly name: ServiceManagerName;
  /** The path of the file that defines the service. */
  readonly file: string;
  /** Returns the file's content. Pure. */
  content(definition: ServiceDefinition): string;
  /** Makes the manager read the file, start the service, and start it at each login. */
  enable(): Promise<void>;
  start(): Promise<void>;
  /** Stops the service and forgets it; its file may be removed then. */
  disable(): Promise<void>;
  state(): Promise<ServiceState>;
  /** The command that prints the service's messages, or undefined if they are in the definition's log file. */
  logCommand(
    lines: number,
    flags: { readonly follow: boolean; readonly json: boolean },
  ): readonly string[] | undefined;
  /** What the user should know after installing. */
  readonly notes: readonly string[];
}

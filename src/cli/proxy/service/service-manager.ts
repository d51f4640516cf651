import type { Environment } from "../../../config/paths.ts";
import type { RunCommand } from "../../run-command.ts";
import type { ServiceManagerName } from "../running-proxies.ts";

/** What a service manager runs, from which each manager's file is generated. */
export interface ServiceDefinition {
  /** The program and its arguments, with full paths. */
  readonly argv: readonly string[];
  /** Variables that the service needs: its own, because service managers start programs without a shell's. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  /** The file for messages, where the manager keeps no log. */
  readonly log: string;
  /** Seconds that the proxy may take to stop. */
  readonly stopSeconds: number;
}

export const DESCRIPTION = "Sallyport: a local proxy for model APIs";

/** The first line of each file; a file without it was not written by Sallyport. */
export const OWN_MARK = "Written by sallyport proxy service install";

/** What managers need of the system. */
export interface ServiceHost {
  readonly environment: Environment;
  /** The user's home directory. */
  readonly home: string;
  readonly run: RunCommand;
}

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

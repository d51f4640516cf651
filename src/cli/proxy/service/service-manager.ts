import type { Environment } from "../../../config/paths.ts";
import type { RunCommand } from "../../run-command.ts";
import type { ServiceManagerName } from "../running-proxies.ts";

/** The command that a service manager runs, and its environment. */
export interface ServiceDefinition {
  /** The program and its arguments, with full paths. */
  readonly argv: readonly string[];
  /** The service's variables. Service managers do not pass the variables of a shell. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  /** The file to which messages are written if the manager keeps no log. */
  readonly log: string;
  /** Seconds that the proxy may take to stop. */
  readonly stopSeconds: number;
}

export const DESCRIPTION = "Sallyport: a local proxy for model APIs";

/** The text by which files that Sallyport has written are recognized. */
export const OWN_MARK = "Written by sallyport proxy service install";

/** The system on which a manager runs. */
export interface ServiceHost {
  readonly environment: Environment;
  /** The user's home directory. */
  readonly home: string;
  readonly run: RunCommand;
}

export interface ServiceState {
  readonly installed: boolean;
  /** Whether the service starts at login. */
  readonly enabled: boolean;
  readonly running: boolean;
  /** The manager's own name for the state. */
  readonly detail: string;
}

/** Runs the proxy as a service of this user through the system's service manager. */
export interface ServiceManager {
  readonly name: ServiceManagerName;
  /** The path of the file that defines the service. */
  readonly file: string;
  /** Returns the file's content. Pure. */
  content(definition: ServiceDefinition): string;
  /** Makes the manager read the file, start the service, and start it at each login. */
  enable(): Promise<void>;
  start(): Promise<void>;
  /** Stops the service and removes it from the manager, after which its file can be deleted. */
  disable(): Promise<void>;
  /** Throws `service_failed` if the manager cannot be reached. */
  state(): Promise<ServiceState>;
  /** Returns the command that prints the service's messages; undefined if they are in the definition's log file. */
  logCommand(
    lines: number,
    flags: { readonly follow: boolean; readonly json: boolean },
  ): readonly string[] | undefined;
  /** Notes for the person after the installation. */
  readonly notes: readonly string[];
}

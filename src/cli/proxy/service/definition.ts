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

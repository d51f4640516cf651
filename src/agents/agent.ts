import type { FileEdit } from "./file-edits/file-edit.ts";

/** Where an installation goes and how an agent is to call us: everything an agent's module needs to know. */
export interface Place {
  readonly home: string;
  /** Set for `--project`: the repository's root. */
  readonly project?: string;
  /** How the agent's shell runs us: `sallyport`, or node with the script's path, quoted as it must be. */
  readonly command: string;
  /** The same as single words, for agents that start programs without a shell. */
  readonly words: readonly string[];
  /** Variables by which people move an agent's configuration, such as CLAUDE_CONFIG_DIR. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** An agent whose plans we review. */
export interface Agent {
  /** As in `sallyport install ID`. */
  readonly id: string;
  readonly name: string;
  /** What it is called on the PATH. */
  readonly program: string;
  /** What an installation gives, in one line of `install --list`. */
  readonly gives: string;
  /** The files to edit, hooks first. Pure. */
  edits(place: Place): readonly FileEdit[];
  /** What the person still has to do or should know. */
  readonly notes: readonly string[];
}

import type { FileEdit } from "./file-edits/file-edit.ts";
import type { AgentHook } from "./hook.ts";
import type { ProxyConnector } from "./proxy-connector.ts";

/** An agent or SDK that Sallyport knows. What is heavy is loaded on use, because every command lists the ids in its help. */
export interface Agent {
  /** As in `sallyport install ID` and `sallyport proxy connect ID`. */
  readonly id: string;
  readonly name: string;
  /** The name of its program on the PATH; SDKs have none. */
  readonly program?: string | undefined;
  /** Decodes the events of its hook, where it has one that runs `sallyport review plan`. */
  readonly hook?: AgentHook | undefined;
  /** Loads what `sallyport install ID` writes, where its plans can be reviewed. */
  readonly install?: (() => Promise<ReviewInstall>) | undefined;
  /** How `sallyport proxy connect ID` points it at the proxy, where it can be. */
  readonly proxy?: ProxyAccess | undefined;
}

export interface ProxyAccess {
  /** Whether its settings are files; else variables alone. */
  readonly writesFiles: boolean;
  readonly load: () => Promise<ProxyConnector>;
}

/** Where an installation goes and how the agent calls Sallyport. */
export interface InstallTarget {
  readonly home: string;
  /** Set for `--project`: the repository's root. */
  readonly project?: string | undefined;
  /** How the agent's shell runs Sallyport: `sallyport`, or node with the script's path, quoted as it must be. */
  readonly command: string;
  /** The same as single arguments, for agents that start programs without a shell. */
  readonly words: readonly string[];
  /** Variables by which people move an agent's configuration, such as CLAUDE_CONFIG_DIR. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What makes an agent run plan reviews. */
export interface ReviewInstall {
  /** What an installation gives, in one line of `install --list`. */
  readonly gives: string;
  /** Returns the files to edit, hooks first. Pure. */
  edits(target: InstallTarget): readonly FileEdit[];
  /** What the person still has to do or should know. */
  readonly notes: readonly string[];
  /** Returns why the agent does not run an installed hook, for `sallyport doctor`. */
  readonly findProblem?: ((target: InstallTarget) => Promise<InstallProblem | undefined>) | undefined;
}

export interface InstallProblem {
  readonly detail: string;
  readonly remedy: string;
}

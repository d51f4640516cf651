import type { FileEdit } from "./file-edits/file-edit.ts";
import type { AgentHook } from "./hook.ts";
import type { PluginPackage } from "./packages/plugin-package.ts";
import type { ProxyConnector } from "./proxy-connector.ts";

/**
 * An agent or SDK that Sallyport supports. Large modules are imported on use, because every command loads the list of
 * agents, whose ids the help prints.
 */
export interface Agent {
  /** The id in `sallyport install ID` and `sallyport proxy connect ID`. */
  readonly id: string;
  readonly name: string;
  /** The name of its program on the PATH; absent for SDKs and for pi. */
  readonly program?: string | undefined;
  /** Whether the agent has only settings of the person, and none of a project. */
  readonly isUserOnly?: true | undefined;
  /** Decodes the events of its hook, if it has a hook that runs `sallyport review plan`. */
  readonly hook?: AgentHook | undefined;
  /** Loads the installation for `sallyport install ID`, if the agent's plans can be reviewed. */
  readonly install?: (() => Promise<ReviewInstall>) | undefined;
  /** Loads the packages that the agent's own commands install; absent if there are none. */
  readonly packages?: (() => Promise<readonly PluginPackage[]>) | undefined;
  /** The access for `sallyport proxy connect ID`, if the agent can be connected to the proxy. */
  readonly proxy?: ProxyAccess | undefined;
}

export interface ProxyAccess {
  /** Whether `proxy connect` writes the agent's settings files. If false, only environment variables configure it. */
  readonly writesFiles: boolean;
  /** Whether the agent reads the address only from its files, so that `sallyport run` cannot set it. */
  readonly needsFiles?: boolean;
  /** Whether the agent reads the address only from the person's settings, and not from those of a project. */
  readonly isUserOnly?: true | undefined;
  readonly load: () => Promise<ProxyConnector>;
}

/** The location of an installation, and the command with which an agent runs Sallyport. */
export interface InstallTarget {
  readonly home: string;
  /** The repository's root; set for `--project`. */
  readonly project?: string | undefined;
  /** The shell command that runs Sallyport, quoted: `sallyport`, or node with the script, or the single executable. */
  readonly command: string;
  /** The same command as separate arguments, for agents that start programs without a shell. */
  readonly argv: readonly string[];
  /** Whether plans open as live reviews, which stay open for further rounds; set for `--live`. */
  readonly live?: boolean | undefined;
  /**
   * The environment variables of this process. Some of them change the location of an agent's configuration, such as
   * CLAUDE_CONFIG_DIR.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The installation of plan reviews in an agent. */
export interface ReviewInstall {
  /** The features it adds, as one line of `install --list`. */
  readonly gives: string;
  /** The reason why the agent cannot wait for the rounds of a live plan review, as the end of an error message. */
  readonly cannotStayLive?: string | undefined;
  /**
   * Whether the agent uses the tools of `sallyport mcp`. All its reviews are then live, with or without `--live`.
   */
  readonly isMcp?: true | undefined;
  /** Returns the edits of the agent's files, hooks first. */
  edits(target: InstallTarget): readonly FileEdit[];
  /** Notes on what the person still has to do or should know. */
  readonly notes: readonly string[];
  /** Returns why the agent does not run an installed hook, for `sallyport doctor`. */
  readonly findProblem?: ((target: InstallTarget) => Promise<InstallProblem | undefined>) | undefined;
}

export interface InstallProblem {
  readonly detail: string;
  readonly remedy: string;
}

import type { InstallTarget } from "../agent.ts";

/** A plugin, extension or skill folder that agents install with their own commands. */
export interface PluginPackage {
  /** The id that `sallyport plugin list` prints, and the folder's name below `plugins/`. */
  readonly id: string;
  /** The format, with its version if it has one. */
  readonly format: string;
  /** The agents that read the format. */
  readonly agents: string;
  /** The features that an agent gets from it, as one line of `plugin list`. */
  readonly gives: string;
  files(target: PackageTarget): readonly PackageFile[];
  /**
   * Returns the commands that install the package from an exported folder, whose path is quoted for a shell.
   */
  install(folder: string): readonly string[];
}

/** The command that a package runs to start Sallyport, and the version and the platform of the package. */
export interface PackageTarget extends Pick<InstallTarget, "command" | "argv"> {
  /** The version of Sallyport, which is the version of its packages. */
  readonly version: string;
  readonly platform: NodeJS.Platform;
}

export interface PackageFile {
  /** The path within the package, with slashes. */
  readonly path: string;
  readonly content: string;
}

/** Returns the target of the packages in the repository and on npm, which expect `sallyport` on the PATH. */
export function publishedTarget(version: string): PackageTarget {
  return { command: "sallyport", argv: ["sallyport"], version, platform: "linux" };
}

/** Members that most manifests have, under the same names. */
export const MANIFEST = {
  name: "sallyport",
  description: "Review plans and diffs in the browser: comment on lines, and the agent gets your comments.",
  author: { name: "Sallyport" },
  license: "MIT",
} as const;

/** Returns the declaration of Sallyport's MCP server in the form that most agents share. */
export function mcpServer({ argv }: PackageTarget): { readonly command: string; readonly args: string[] } {
  const [command = "sallyport", ...args] = argv;
  return { command, args: [...args, "mcp"] };
}

export function jsonFile(path: string, value: object): PackageFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}

/** Returns the package's README: its purpose, its requirements, and how to install and remove it. */
export function readme(title: string, paragraphs: readonly string[]): PackageFile {
  return {
    path: "README.md",
    content: `# ${title}\n\n${paragraphs.join("\n\n")}\n`,
  };
}

/** The paragraph about the program that every package starts. */
export const NEEDS_COMMAND =
  "It needs the command `sallyport` on the PATH (`npm install --global sallyport`). The review page is served from " +
  "this machine, and a review of a plan or of local changes contacts no other host, unless you set `review.ask`.";

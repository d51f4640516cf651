import type { Environment } from "./paths.ts";

/** URL schemes of editors that identify themselves in the environment of their terminals. */
const SCHEMES: readonly [isThere: (environment: Environment) => boolean, scheme: string][] = [
  [(environment) => environment["CURSOR_TRACE_ID"] !== undefined, "cursor://file{path}:{line}"],
  [(environment) => environment["ZED_TERM"] === "true", "zed://file{path}:{line}"],
  [
    (environment) => environment["TERMINAL_EMULATOR"] === "JetBrains-JediTerm",
    "idea://open?file={path}&line={line}",
  ],
];

/** Returns the URL prefix that opens a file in the editor of this terminal, else in Visual Studio Code. */
export function editorLink(environment: Environment): string {
  const found = SCHEMES.find(([isThere]) => isThere(environment));
  return found?.[1] ?? "vscode://file{path}:{line}";
}

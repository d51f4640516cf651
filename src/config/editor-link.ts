import type { Environment } from "./paths.ts";

/** Link schemes of editors that tell their terminals who they are; see each editor's documentation of URLs. */
const SCHEMES: readonly [isThere: (environment: Environment) => boolean, scheme: string][] = [
  [(environment) => environment["CURSOR_TRACE_ID"] !== undefined, "cursor://file{path}:{line}"],
  [(environment) => environment["ZED_TERM"] === "true", "zed://file{path}:{line}"],
  [
    (environment) => environment["TERMINAL_EMULATOR"] === "JetBrains-JediTerm",
    "idea://open?file={path}&line={line}",
  ],
];

/** What opens a file in the person's editor: the one whose terminal this is, else Visual Studio Code. */
export function editorLink(environment: Environment): string {
  const found = SCHEMES.find(([isThere]) => isThere(environment));
  return found?.[1] ?? "vscode://file{path}:{line}";
}

import { type Environment, processEnvironment } from "../../config/paths.ts";
import { createCodeMode } from "../../review/code/mode.ts";
import { createRoundStore } from "../../review/code/rounds/round-store.ts";
import type { ReviewMode } from "../../review/context.ts";
import type { DiffSession } from "../../review/diff-session.ts";
import { symbolFiles } from "../worker-files.ts";
import type { ReviewOptions } from "./options.ts";

/** Creates the mode of a code review. */
export function createCodeReviewMode(diffs: DiffSession, { dataDirectory, json }: ReviewOptions): ReviewMode {
  return createCodeMode({
    diffs,
    rounds: createRoundStore(dataDirectory, diffs.repository.root),
    editorLink: editorLink(processEnvironment),
    symbolFiles,
    json,
  });
}

/** URL templates of editors that identify themselves in the environment of their terminals. */
const SCHEMES: readonly [isThere: (environment: Environment) => boolean, scheme: string][] = [
  [(environment) => environment["CURSOR_TRACE_ID"] !== undefined, "cursor://file{path}:{line}"],
  [(environment) => environment["ZED_TERM"] === "true", "zed://file{path}:{line}"],
  [
    (environment) => environment["TERMINAL_EMULATOR"] === "JetBrains-JediTerm",
    "idea://open?file={path}&line={line}",
  ],
];

/**
 * Returns the URL template, with the placeholders `{path}` and `{line}`, that opens a file in the editor of this
 * terminal, or otherwise in Visual Studio Code.
 */
export function editorLink(environment: Environment): string {
  const found = SCHEMES.find(([isThere]) => isThere(environment));
  return found?.[1] ?? "vscode://file{path}:{line}";
}

/** Languages as in src/review/code/symbols/languages.ts. */
export const GRAMMARS: readonly string[];

/** Writes the thread that parses files, and the compressed parser and grammars, to `folder`. */
export function bundleSymbolsWorker(folder: string, plugins?: readonly object[]): Promise<void>;

/** Writes only the thread. */
export function bundleSymbolsScript(folder: string, plugins?: readonly object[]): Promise<void>;

import type { Plugin } from "rolldown";

export const root: string;
export const LEFT_OUT: Readonly<Record<string, string>>;
export function packageVersion(): string;
export function bundleParts(
  dir: string,
  minify: boolean | "dce-only",
  plugins?: readonly Plugin[],
): Promise<void>;
export function bundleStart(kind: "package" | "executable", file: string, parts: string): Promise<unknown>;
export function quietly(program: string, args: readonly string[], options?: object): void;

export interface LoaderParts {
  readonly source: (name: string) => string;
  readonly cachedData: (name: string) => Uint8Array | undefined;
  readonly builtin: (id: string) => unknown;
  readonly folder: string;
  readonly compiled?: (name: string, script: import("node:vm").Script) => void;
}
export function createLoader(parts: LoaderParts): (name: string) => unknown;
export function wrapped(text: string): string;

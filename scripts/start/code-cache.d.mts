import type { LoaderParts } from "./loader.d.mts";

export interface CodeCacheOptions {
  readonly dataDirectory: () => string;
  readonly hashes: Readonly<Record<string, string>>;
  readonly minSeconds?: number;
}
export interface CodeCache extends Required<Pick<LoaderParts, "cachedData" | "compiled">> {
  readonly save: () => void;
}
export function openCodeCache(options: CodeCacheOptions): CodeCache;

import { afterAll, vi } from "vitest";

/**
 * Prepares a file for the modules of the code page, which it imports afterwards: they read the theme and the width of
 * the window as soon as they are loaded. Another file of the same worker may have loaded some of them, so all are
 * loaded again. `globals` replaces further globals.
 */
export function prepareCodePage(globals: Readonly<Record<string, unknown>> = {}): void {
  const all = { matchMedia: () => new EventTarget(), innerWidth: 1_200, ...globals };
  for (const [name, value] of Object.entries(all)) vi.stubGlobal(name, value);
  afterAll(() => void vi.unstubAllGlobals());
  vi.resetModules();
}

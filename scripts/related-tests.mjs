// Finds the unit tests that import a changed file, directly or through other files.
import { posix } from "node:path";

const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*["'](\.{1,2}\/[^"']+)["']/g;
const UNIT_TEST = /^test\/(?!(?:e2e|firefox|webkit|agents-live|soak|disk)\/).*\.test\.ts$/;

/**
 * Maximum number of imports between a test and a changed file. Without a limit, a change of one file would
 * select 88 tests for half of the files.
 */
const MAX_IMPORTS = 3;

/**
 * Returns the unit tests that a change of `changed` can affect: those that import one of these files through at most
 * MAX_IMPORTS imports. `sources` has the text of each source file by path. The tests directly below `test` read
 * documents and folders instead of importing them, and always belong to the result.
 */
export function findRelatedTests(changed, sources) {
  const importers = new Map();
  for (const [path, text] of sources)
    for (const [, imported] of text.matchAll(IMPORTED)) {
      const target = posix.join(posix.dirname(path), imported);
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  const related = new Set([...sources.keys()].filter((path) => /^test\/[^/]+\.test\.ts$/.test(path)));
  const seen = new Set(changed.filter((path) => sources.has(path)));
  for (let imports = 0, found = [...seen]; found.length > 0; imports += 1) {
    for (const path of found) if (UNIT_TEST.test(path)) related.add(path);
    if (imports === MAX_IMPORTS) break;
    found = found.flatMap((path) => importers.get(path) ?? []).filter((path) => !seen.has(path));
    for (const path of found) seen.add(path);
  }
  return [...related].sort();
}

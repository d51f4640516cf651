// Finds the unit tests that import a changed file, directly or through other files.
import { posix } from "node:path";

const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*["'](\.{1,2}\/[^"']+)["']/g;
const UNIT_TEST = /^test\/(?!(?:e2e|firefox|webkit|agents-live|editors-live|soak|disk)\/).*\.test\.ts$/;

/** Maximum number of imports between a test and a changed file. */
const MAX_IMPORTS = 3;

/**
 * Maximum number of tests for one changed file. A file of the proxy's core would otherwise select more than a hundred,
 * which start the whole proxy and take minutes.
 */
const MAX_TESTS = 8;

/**
 * Returns the unit tests that belong to a change: for each file of `changed`, the nearest tests that import it through
 * at most MAX_IMPORTS imports. `sources` has the text of each source file by path. The tests directly below
 * `test` read documents and folders instead of importing them, and always belong to the result. `omitted` is the
 * number of further tests that import a changed file.
 */
export function findRelatedTests(changed, sources) {
  const importers = findImporters(sources);
  const always = [...sources.keys()].filter((path) => /^test\/[^/]+\.test\.ts$/.test(path));
  const candidates = changed
    .filter((path) => sources.has(path))
    .map((path) => testsByDistance(path, importers));
  const tests = new Set([...always, ...candidates.flatMap((found) => found.slice(0, MAX_TESTS))]);
  const omitted = new Set(candidates.flat().filter((path) => !tests.has(path)));
  return { tests: [...tests].sort(), omitted: omitted.size };
}

/** Returns the files that import each file. */
function findImporters(sources) {
  const importers = new Map();
  for (const [path, text] of sources)
    for (const [, imported] of text.matchAll(IMPORTED)) {
      const target = posix.join(posix.dirname(path), imported);
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  return importers;
}

/** Returns the tests that import a file: those through fewer imports first, then those in the most similar folder. */
function testsByDistance(changed, importers) {
  const tests = [];
  const seen = new Set([changed]);
  for (let imports = 0, found = [changed]; found.length > 0; imports += 1) {
    const near = found.filter((path) => UNIT_TEST.test(path));
    tests.push(...near.sort((a, b) => sharedFolders(b, changed) - sharedFolders(a, changed)));
    if (imports === MAX_IMPORTS) break;
    found = [...new Set(found.flatMap((path) => importers.get(path) ?? []))].filter(
      (path) => !seen.has(path),
    );
    for (const path of found) seen.add(path);
  }
  return tests;
}

/** Returns how many folders two paths have in common: `test/proxy/a` and `src/proxy/b` have one. */
function sharedFolders(one, other) {
  const [own, others] = [one, other].map((path) =>
    posix
      .dirname(path)
      .replace(/^(?:src|test)\//, "")
      .split("/"),
  );
  const differs = own.findIndex((name, index) => name !== others[index]);
  return differs < 0 ? own.length : differs;
}

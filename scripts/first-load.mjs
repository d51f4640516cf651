// Measures what a page loads first: the scripts and styles that its HTML names, and what these scripts import.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

const IN_HTML = /(?:src|href)="\/([^"]+\.(?:js|css))"/g;
/** Imports of a bundled script that are loaded with it. */
const IN_SCRIPT = /(?:from|import)\s*"\.\/([^"]+\.js)"/g;

/**
 * Returns the files that a page loads first, with their gzip size in bytes. `page` is the path of its HTML in `folder`.
 */
export function firstLoad(folder, page) {
  const html = readFileSync(join(folder, page), "utf8");
  const files = new Set([...html.matchAll(IN_HTML)].map(([, file]) => file));
  return [...withImports(folder, files)].map((file) => ({
    file,
    bytes: gzipSync(readFileSync(join(folder, file)), { level: 9 }).length,
  }));
}

function withImports(folder, files) {
  // A set is iterated up to its end, which moves when files are added.
  for (const file of files) {
    if (!file.endsWith(".js")) continue;
    for (const [, name] of readFileSync(join(folder, file), "utf8").matchAll(IN_SCRIPT))
      files.add(join(dirname(file), name));
  }
  return files;
}

/** Throws if the files that a page loads first exceed `limit` bytes in total (gzip). */
export function checkFirstLoad(folder, page, limit) {
  const files = firstLoad(folder, page).sort((one, other) => other.bytes - one.bytes);
  const sum = files.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= limit) return;
  const list = files.slice(0, 8).map(({ file, bytes }) => `  ${bytes} ${file}`);
  throw new Error(
    `${page} loads ${sum} bytes of scripts and styles first (gzip); at most ${limit} are allowed. ` +
      `Load what the first screen does not need with \`later\`. The largest files:\n${list.join("\n")}`,
  );
}

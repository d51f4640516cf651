import { statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

const LOOK_MS = 1_000;

/**
 * Tells of every change of a file that may not be there yet, until the function returned is called. Several events of
 * one save count once.
 */
export function onFileChange(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, 150);
  };
  const unwatch = watchFolder(path, soon) ?? poll(path, soon);
  return () => {
    clearTimeout(timer);
    unwatch();
  };
}

/** Watches the folder, since editors replace files. Undefined where there is no folder. */
function watchFolder(path: string, onChange: () => void): (() => void) | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    return undefined;
  }
}

/** A folder that is not there yet cannot be watched: whoever writes a first configuration makes it. */
function poll(path: string, onChange: () => void): () => void {
  let last = stampOf(path);
  const timer = setInterval(() => {
    const now = stampOf(path);
    if (now !== last) onChange();
    last = now;
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Another one for every state of the file, as far as its time and place tell. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "";
}

import { statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

const LOOK_MS = 1_000;

/**
 * Tells of every change of a file that may not be there yet, until the function returned is called. Several events of
 * one save count once. `since` is the state of the file, as `fileState` gives it, that the caller has read.
 *
 * The system tells at once of what happens in the file's folder, and of nothing else: a link's target elsewhere, the
 * folders that Kubernetes changes by one link to them all, drives of other machines. So the file is looked at as well.
 */
export function onFileChange(path: string, since: string, onChange: () => void): () => void {
  let told = since;
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      told = fileState(path);
      onChange();
    }, 150);
  };
  const unwatch = watchFolder(path, soon);
  const look = setInterval(() => {
    if (fileState(path) !== told) soon();
  }, LOOK_MS);
  look.unref();
  return () => {
    clearTimeout(timer);
    clearInterval(look);
    unwatch();
  };
}

/** Another text for every state of a file, as far as its place, time and size tell; links are followed. */
export function fileState(path: string): string {
  try {
    const { dev, ino, mtimeMs, size } = statSync(path);
    return `${dev} ${ino} ${mtimeMs} ${size}`;
  } catch {
    return "";
  }
}

/** Watches the folder, since editors replace files. One that is not there yet cannot be watched. */
function watchFolder(path: string, onChange: () => void): () => void {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

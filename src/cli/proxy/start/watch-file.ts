import { statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

const POLL_MS = 1_000;

/**
 * Calls `onChange` when a file has changed, until the returned function is called. The file need not exist yet. `since`
 * is the state, from `fileState`, of the file as the caller has read it.
 *
 * The file is also polled, because the system does not report changes on network drives, of a link's target in another
 * folder, or in Kubernetes volumes, which switch folders through a link.
 */
export function onFileChange(path: string, since: string, onChange: () => void): () => void {
  let lastState = since;
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      lastState = fileState(path);
      onChange();
    }, 150);
  };
  const unwatch = watchFolder(path, soon);
  const look = setInterval(() => {
    if (fileState(path) !== lastState) soon();
  }, POLL_MS);
  look.unref();
  return () => {
    clearTimeout(timer);
    clearInterval(look);
    unwatch();
  };
}

/** Returns a text that changes with a file's device, inode, modification time or size. Follows links. */
export function fileState(path: string): string {
  try {
    const { dev, ino, mtimeMs, size } = statSync(path);
    return `${dev} ${ino} ${mtimeMs} ${size}`;
  } catch {
    return "";
  }
}

/** Watches the folder, because editors replace files. A folder that does not exist yet cannot be watched. */
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

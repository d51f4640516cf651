import { existsSync } from "node:fs";
import { getStopRequestFile } from "../running-proxies.ts";
import { onFileChange } from "./watch-file.ts";

/**
 * Stops this proxy as SIGTERM would when its stop request file appears, until the returned function is called. For
 * Windows, where a signal from another process ends this one at once; elsewhere it does nothing.
 */
export function watchStopRequest(
  dataDirectory: string,
  platform: NodeJS.Platform = process.platform,
  stop: () => void = () => void process.emit("SIGTERM", "SIGTERM"),
): () => void {
  if (platform !== "win32") return () => {};
  const path = getStopRequestFile(dataDirectory, process.pid);
  return onFileChange(path, "", () => {
    if (existsSync(path)) stop();
  });
}

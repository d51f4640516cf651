// Loaded before the command under test: tells, over the channel to its parent, what is left after a full collection.
import { readdirSync } from "node:fs";

process.on("message", () => {
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().filter((name) => /Wrap$/.test(name));
  process.send({
    heapUsed,
    rss,
    sockets: handles.filter((name) => /TCPSocket/.test(name)).length,
    files: files(),
  });
});
process.channel.unref();

/** Open file descriptors, where the system tells. */
function files() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

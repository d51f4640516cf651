// Loaded before the command under test. Reports the memory after a full garbage collection over the channel to its
// parent.
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

/** The number of open file descriptors, if the system reports it. */
function files() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

import { expect, it } from "vitest";
import { formatKillCommand } from "../../../../src/cli/proxy/start/start-detached.ts";

it.each([
  ["linux", "kill 12"],
  ["darwin", "kill 12"],
  ["win32", "taskkill /F /PID 12"],
] as const)("on %s, a proxy without a running file is ended with %j", (platform, command) => {
  expect(formatKillCommand(12, platform)).toBe(command);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { formatKillCommand, startDetached } from "../../../../src/cli/proxy/start/start-detached.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

it.each([
  ["linux", "kill 12"],
  ["darwin", "kill 12"],
  ["win32", "taskkill /F /PID 12"],
] as const)("on %s, a proxy without a running file is ended with %j", (platform, command) => {
  expect(formatKillCommand(12, platform)).toBe(command);
});

it("reports a data directory that cannot be written, and the remedy", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "file"), "");
  const data = join(folder, "file", "data");
  vi.stubEnv("SALLYPORT_HOME", data);
  await expect(startDetached(["proxy", "start"])).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining(`Cannot use the data directory ${data}: `),
    hint: expect.stringContaining("SERVICE_HOME"),
  });
});

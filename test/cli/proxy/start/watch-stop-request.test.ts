import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { getStopRequestFile } from "../../../../src/cli/proxy/running-proxies.ts";
import { watchStopRequest } from "../../../../src/cli/proxy/start/watch-stop-request.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

it("stops a proxy on Windows when another process writes its stop request", async () => {
  const data = await temporaryFolder();
  const path = getStopRequestFile(data, process.pid);
  await mkdir(dirname(path), { recursive: true });
  const stops: string[] = [];
  onTestFinished(watchStopRequest(data, "win32", () => void stops.push("stop")));
  await writeFile(path, "");
  await expect.poll(() => stops, { timeout: 5_000 }).toEqual(["stop"]);
});

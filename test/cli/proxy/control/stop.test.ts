import { afterEach, expect, it, vi } from "vitest";
import type { Output } from "../../../../src/cli/output.ts";
import { stopProxy } from "../../../../src/cli/proxy/control/stop.ts";
import { addRunningProxy } from "../../../../src/cli/proxy/running-proxies.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

it("proxy stop names the port on which no proxy runs, if another one runs", async () => {
  const data = await temporaryFolder();
  vi.stubEnv("SALLYPORT_HOME", data);
  await addRunningProxy(data, {
    url: "http://localhost:8045",
    port: 8045,
    version: "0.1.0",
    since: "2026-01-01T00:00:00Z",
    configuration: "/none.json",
    workers: 1,
    handsOver: false,
    service: null,
    args: [],
    folder: "/",
  });
  const notes: string[] = [];
  const output: Output = {
    note: (text) => void notes.push(text),
    result: async () => true,
    lostResult: false,
    interactive: false,
  };
  expect(await stopProxy({ port: "9000", all: false, json: false }, output)).toBe(0);
  expect(notes).toEqual(["No proxy runs on port 9000. Nothing was stopped."]);
});

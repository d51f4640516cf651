import { afterEach, expect, it, vi } from "vitest";
import { stopProxy } from "../../../../src/cli/proxy/control/stop.ts";
import { addRunningProxy } from "../../../../src/cli/proxy/running-proxies.ts";
import { listedProxy } from "../../../support/listed-proxy.ts";
import { recordOutput } from "../../../support/record-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

it("proxy stop names the port on which no proxy runs, if another one runs", async () => {
  const data = await temporaryFolder();
  vi.stubEnv("SALLYPORT_HOME", data);
  await addRunningProxy(data, listedProxy);
  const { notes, output } = recordOutput();
  expect(await stopProxy({ port: "9000", all: false, json: false }, output)).toBe(0);
  expect(notes).toEqual(["No proxy runs on port 9000. Nothing was stopped."]);
});

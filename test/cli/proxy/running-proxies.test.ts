import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addRunningProxy,
  chooseProxy,
  listRunningProxies,
  type RunningProxy,
  removeRunningProxy,
} from "../../../src/cli/proxy/running-proxies.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const proxy = {
  url: "http://localhost:8045",
  port: 8045,
  version: "1.0.0",
  since: "2026-11-23T10:00:00.000Z",
  configuration: "/etc/sallyport.json",
  workers: 1,
  handsOver: true,
  service: null,
  args: ["proxy", "start"],
  folder: "/",
};

const running = (port: number): RunningProxy => ({ ...proxy, port, pid: port, host: hostname() });

describe("running proxies", () => {
  it("are listed while their process runs", async () => {
    const data = await temporaryFolder();
    await addRunningProxy(data, proxy);
    expect(await listRunningProxies(data)).toMatchObject([{ ...proxy, pid: process.pid }]);
    await removeRunningProxy(data);
    expect(await listRunningProxies(data)).toEqual([]);
  });

  it("name their configuration by its full path, because other commands run in other folders", async () => {
    const data = await temporaryFolder();
    await addRunningProxy(data, { ...proxy, configuration: "../config.json" });
    expect(await listRunningProxies(data)).toMatchObject([{ configuration: resolve("../config.json") }]);
  });

  it("leave no file behind if they were killed", async () => {
    const data = await temporaryFolder();
    const folder = join(data, "proxy", "running");
    await mkdir(folder, { recursive: true });
    const { pid } = spawnSync(process.execPath, ["--version"]);
    await writeFile(join(folder, `${pid}.json`), JSON.stringify({ ...running(1), pid }));
    expect(await listRunningProxies(data)).toEqual([]);
    await addRunningProxy(data, proxy);
    expect(await readdir(folder)).toEqual([`${process.pid}.json`]);
  });

  it("of which a command means the one on a port, or the only one", () => {
    const [one, other] = [running(8045), running(9000)];
    expect(chooseProxy([one], undefined)).toBe(one);
    expect(chooseProxy([one, other], 9000)).toBe(other);
    expect(() => chooseProxy([one, other], undefined)).toThrow(/Several proxies run/);
    expect(() => chooseProxy([one], 9000)).toThrow("No proxy runs on port 9000");
    expect(() => chooseProxy([], undefined)).toThrow("No proxy runs");
  });
});

import { chmod, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { dataFinding, portFinding, proxyOn } from "../../../../src/cli/setup/doctor/disk-and-ports.ts";
import { isBroken, report } from "../../../../src/cli/setup/doctor/finding.ts";
import {
  type BrowserContext,
  browserFinding,
  findOnPath,
  gitFinding,
  isOnPath,
  nodeFinding,
} from "../../../../src/cli/setup/doctor/programs.ts";
import { proxyFindings } from "../../../../src/cli/setup/doctor/proxy.ts";
import { disableTimeouts } from "../../../support/patient-fetch.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

it.each([
  ["v20.19.0", "ok"],
  ["v22.1.0", "ok"],
  ["v20.18.3", "broken"],
  ["v18.20.0", "broken"],
])("Node.js %s is %s", (version, state) => {
  expect(nodeFinding(version).state).toBe(state);
});

it.each([
  ["git version 2.31.0\n", "ok"],
  ["git version 2.39.5 (Apple Git-154)\n", "ok"],
  ["git version 3.0.0.windows.1\n", "ok"],
  ["git version 2.30.9\n", "broken"],
  ["git version 1.8.3.1\n", "broken"],
])("%j is %s", async (stdout, state) => {
  expect((await gitFinding(async () => stdout)).state).toBe(state);
});

it("finds git", async () => {
  expect(await gitFinding()).toMatchObject({ state: "ok", detail: expect.stringMatching(/^\d+\.\d+/) });
});

describe("the browser", () => {
  const desktop: BrowserContext = {
    browser: undefined,
    remote: false,
    ssh: false,
    desktop: true,
    searchPath: "",
    platform: "darwin",
  };
  it.each<[string, Partial<BrowserContext>, string, RegExp]>([
    ["the system's default", {}, "ok", /system/],
    ["switched off", { browser: "none" }, "off", /switched off/],
    ["far away over SSH", { ssh: true }, "off", /SSH/],
    ["far away in remote mode", { remote: true }, "off", /remote/],
    ["not there without a desktop", { desktop: false, platform: "linux" }, "warning", /no desktop/],
    ["not there without xdg-open", { platform: "linux" }, "warning", /xdg-open/],
    ["switched off, however it is written", { browser: "None" }, "off", /switched off/],
    ["a program of the person's", { browser: process.execPath }, "ok", /node/],
    ["a program with words of its own", { browser: `"${process.execPath}" -p %s` }, "ok", /node$/],
    [
      "the first of several that is there",
      { browser: ["/nowhere/browser", process.execPath].join(delimiter) },
      "ok",
      /node$/,
    ],
    ["a folder by the name of a program", { browser: dirname(process.execPath) }, "warning", /not found/],
    ["a program that is missing", { browser: "/nowhere/browser" }, "warning", /not found/],
  ])("is %s", async (_what, change, state, detail) => {
    const finding = await browserFinding({ ...desktop, ...change });
    expect(finding.state).toBe(state);
    expect(finding.detail).toMatch(detail);
  });
});

describe("a program", () => {
  it("is found by the file extensions of Windows, on Windows only", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "claude.cmd"), "", { mode: 0o755 });
    expect(await isOnPath("claude", folder, "win32")).toBe(true);
    expect(await isOnPath("claude", folder, "linux")).toBe(false);
    expect(await isOnPath("codex", folder, "win32")).toBe(false);
  });

  it("is the file that Windows can run, not the script for sh that npm installs beside it", async () => {
    const folder = await temporaryFolder();
    for (const name of ["codex", "codex.cmd", "codex.ps1", "git.exe"])
      await writeFile(join(folder, name), "", { mode: 0o755 });
    expect(await findOnPath("codex", folder, "win32")).toBe(join(folder, "codex.cmd"));
    expect(await findOnPath("codex", folder, "linux")).toBe(join(folder, "codex"));
    expect(await findOnPath("git.exe", folder, "win32")).toBe(join(folder, "git.exe"));
  });
});

describe("the data directory", () => {
  it("is created for its owner only", async () => {
    const folder = join(await temporaryFolder(), "deep", "data");
    expect(await dataFinding(folder, "linux")).toMatchObject({ state: "ok" });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("causes a warning if others can read it", async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    expect(await dataFinding(folder, "linux")).toMatchObject({
      state: "warning",
      remedy: expect.stringContaining(`chmod 700 "${folder}"`),
    });
    expect(await dataFinding(folder, "win32")).toMatchObject({ state: "ok" });
  });

  it("is an error if a file has its path", async () => {
    const path = join(await temporaryFolder(), "data");
    await writeFile(path, "");
    expect(await dataFinding(path, "linux")).toMatchObject({
      state: "broken",
      remedy: expect.stringContaining("SERVICE_HOME"),
    });
  });
});

describe("a port", () => {
  const listenWith = async (status: number): Promise<number> => {
    const server = createServer((_request, response) => response.writeHead(status).end("{}"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  };

  it("is free", async () => {
    // No program listens on port 0; any other port could be in use.
    expect(await portFinding("p", { port: 0 }, "r", proxyOn)).toMatchObject({
      state: "ok",
      detail: "0 is free",
    });
  });

  it.each([
    [200, "ok", /the proxy is running/],
    [401, "ok", /the proxy is running/],
    [500, "warning", /in use by another program/],
  ])("that answers %i is %s", async (status, state, detail) => {
    disableTimeouts();
    const finding = await portFinding("p", { port: await listenWith(status) }, "r", proxyOn);
    expect(finding.state).toBe(state);
    expect(finding.detail).toMatch(detail);
  });
});

describe("the port of a proxy with a configured host", () => {
  it.skipIf(process.platform === "darwin")(
    "is checked at the address on which the proxy listens",
    async () => {
      disableTimeouts();
      const server = createServer((_request, response) => response.end("{}"));
      await new Promise<void>((done) => server.listen(0, "127.0.0.2", done));
      onTestFinished(() => void server.close());
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      const config = join(await temporaryFolder(), "config.json");
      const upstreams = { none: { dialect: "messages", base_url: "http://127.0.0.1:9" } };
      await writeFile(config, JSON.stringify({ proxy: { host: "127.0.0.2", port, upstreams } }));
      const found = await proxyFindings({ json: false, config });
      expect(await portFinding("p", found.address, "r", proxyOn)).toMatchObject({
        state: "ok",
        detail: `${port}: the proxy is running`,
      });
      expect(await proxyOn({ port, host: "0.0.0.0" })).toBeUndefined();
    },
  );
});

it("prints columns, with the remedies below", () => {
  const findings = [
    { subject: "git", state: "ok", detail: "2" },
    { subject: "browser", state: "broken", detail: "none", remedy: "Get one." },
  ] as const;
  expect(report(findings)).toBe(
    "git      ok       2\nbrowser  BROKEN   none\n\nWhat you can do:\n- browser: Get one.",
  );
  expect(report(findings.slice(0, 1))).toBe("git  ok       2");
  expect(isBroken(findings)).toBe(true);
  expect(isBroken(findings.slice(0, 1))).toBe(false);
});

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = resolve(import.meta.dirname, "../../dist/sallyport.js");

function doctor(home: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  return doctorWith({}, home, ...args);
}

function doctorWith(
  variables: Record<string, string>,
  home: string,
  ...args: string[]
): Promise<{ code: number; stdout: string }> {
  const env = {
    ...variables,
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SERVICE_HOME: join(home, "data"),
    BROWSER: "none",
  };
  return new Promise((done) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout) =>
      done({ code: Number(error?.code ?? 0), stdout }),
    );
  });
}

const configure = async (home: string, proxy: object) => {
  await mkdir(join(home, ".config/sallyport"), { recursive: true });
  await writeFile(join(home, ".config/sallyport/config.json"), JSON.stringify({ proxy }));
};

it("reports no problem without configuration, and lists what is not in use", async () => {
  const { code, stdout } = await doctor(await temporaryFolder(), "doctor");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Node\.js +ok +v\d/m);
  expect(stdout).toMatch(/^configuration +ok +.*defaults are used$/m);
  expect(stdout).toMatch(/^Gemini CLI +- /m);
});

it("reports hooks that Codex does not trust yet, and connections to a missing proxy", async () => {
  const home = await temporaryFolder();
  await configure(home, {
    port: 10,
    upstreams: { away: { dialect: "messages", base_url: "http://127.0.0.1:9" } },
  });
  await doctor(home, "install", "codex", "--yes");
  await doctor(home, "install", "gemini-cli", "--yes");
  await doctor(home, "proxy", "connect", "codex", "--yes");
  const { code, stdout } = await doctor(home, "doctor", "--json");
  const { findings } = JSON.parse(stdout);
  const of = (subject: string) =>
    findings.find((finding: { subject: string }) => finding.subject === subject);
  expect(code).toBe(0);
  expect(of("upstream away")).toMatchObject({
    state: "warning",
    detail: expect.stringContaining("ECONNREFUSED"),
  });
  expect(of("Codex CLI")).toMatchObject({ state: "warning", remedy: expect.stringContaining("trust") });
  expect(of("Gemini CLI")).toMatchObject({ state: "ok" });
  expect(of("Codex CLI → proxy")).toMatchObject({
    remedy: expect.stringContaining("proxy disconnect codex"),
  });
});

it("prints a fixed review port only if there is one", async () => {
  const home = await temporaryFolder();
  expect((await doctor(home, "doctor")).stdout).toMatch(/^review port +ok +any free port/m);
  const remote = await doctorWith({ SERVICE_REMOTE: "1" }, home, "doctor");
  expect(remote.stdout).toMatch(/^review port +\w+ +19432 is /m);
  const chosen = await doctorWith({ SERVICE_REMOTE: "1", SERVICE_PORT: "17" }, home, "doctor");
  expect(chosen.stdout).toMatch(/^review port +ok +17 is free/m);
});

it("exits with 1 and prints the line of an invalid configuration", async () => {
  const home = await temporaryFolder();
  await configure(home, { prot: 1 });
  const { code, stdout } = await doctor(home, "doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^configuration +BROKEN +.*config\.json:1: proxy\.prot/m);
});

it("reports errors in either section of the configuration, with the line", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, ".config/sallyport"), { recursive: true });
  const wrong = async (text: string) => {
    await writeFile(join(home, ".config/sallyport/config.json"), text);
    return doctor(home, "doctor");
  };
  const review = await wrong('{\n"review": { "sharing": "yes" } }');
  expect(review.code).toBe(1);
  expect(review.stdout).toMatch(
    /^configuration +BROKEN +.*config\.json:2: review\.sharing: must be true or false/m,
  );
  const proxy = await wrong('{\n\n"proxy": { "port": "8045" } }');
  expect(proxy.stdout).toMatch(/^configuration +BROKEN +.*config\.json:3: proxy\.port: must be a number/m);
});

it("names the agent's file as the one to fix if it cannot be read", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, ".claude"));
  await writeFile(join(home, ".claude/settings.json"), '{ "hooks": [ }');
  const { stdout } = await doctor(home, "doctor");
  expect(stdout).toMatch(/^Claude Code +warning +its settings cannot be read$/m);
  expect(stdout).toMatch(
    /^- Claude Code: Correct the file first\. sallyport install claude-code prints its path/m,
  );
});

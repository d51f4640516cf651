import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { run } from "../../../../src/cli/run.ts";
import { recordOutput } from "../../../support/record-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

/** The variables that the test sets or that another test's environment could set. */
const VARIABLES = [
  ...["ACME_KEY", "ACME_TOKEN", "ANTHROPIC_API_KEY", "SALLYPORT_PROXY_PORT", "NODE_EXTRA_CA_CERTS"],
  ...[
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
  ],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "SERVICE_CONFIG", "SERVICE_HOME"],
];

const ACME = {
  dialect: "chat-completions",
  base_url: "https://api.acme.example/v1",
  api_key_env: "ACME_KEY",
  headers: { "x-token": { env: "ACME_TOKEN" } },
};

/** Creates a home folder with a configuration, and a systemctl that does nothing. Resolves to the folder. */
async function makeHome(set: Readonly<Record<string, string>>): Promise<string> {
  const home = await temporaryFolder();
  await mkdir(join(home, "bin"));
  await writeFile(join(home, "bin/systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(home, "config.json"), JSON.stringify({ proxy: { upstreams: { acme: ACME } } }));
  await writeFile(join(home, "keys.env"), "ACME_KEY=from-file\nACME_TOKEN=from-file\n");
  for (const name of VARIABLES) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ ...set, HOME: home, PATH: join(home, "bin") }))
    vi.stubEnv(name, value);
  return home;
}

/** Runs a command. Resolves to its exit code, notes and result. */
async function runCommand(args: readonly string[]) {
  const { notes, results, output } = recordOutput();
  const code = await run(args, output);
  return { code, text: notes.join("\n"), printed: results.join("") };
}

async function install(args: readonly string[], set: Readonly<Record<string, string>>) {
  const home = await makeHome(set);
  const paths = args.map((arg) => (arg.includes(".") ? join(home, arg) : arg));
  return runCommand(["proxy", "service", "install", "--yes", ...paths]);
}

describe.skipIf(process.platform !== "linux")("proxy service install", () => {
  it("warns of the variables of the shell on which the configuration depends", async () => {
    const set = {
      ...{ ACME_KEY: "k", ACME_TOKEN: "t", HTTPS_PROXY: "http://10.0.0.1:3128" },
      ...{ SALLYPORT_PROXY_PORT: "8099", ANTHROPIC_API_KEY: "is not used" },
    };
    const { code, text } = await install(["--config", "config.json"], set);
    expect(code).toBe(0);
    const names = /does not inherit these variables of this shell: (.*?)\. /.exec(text)?.[1];
    expect(names).toBe("ACME_KEY, ACME_TOKEN, HTTPS_PROXY, SALLYPORT_PROXY_PORT");
  });

  it("reads the variables of --env-file, which the service has", async () => {
    const { code, text } = await install(["--config", "config.json", "--env-file", "keys.env"], {});
    expect(text).not.toContain("does not inherit");
    expect(code).toBe(0);
  });

  it("rejects a missing --env-file, with which the service could not start", async () => {
    const { code, text } = await install(["--config", "config.json", "--env-file", "none.env"], {
      ...{ ACME_KEY: "k", ACME_TOKEN: "t" },
    });
    expect(text).toMatch(/Cannot read the environment file .*none\.env/);
    expect(code).toBe(2);
  });

  it("is still removed by uninstall --all if a later installation fails", async () => {
    const home = await makeHome({ ACME_KEY: "k", ACME_TOKEN: "t" });
    const again = ["proxy", "service", "install", "--yes", "--config", join(home, "config.json")];
    expect((await runCommand(again)).code).toBe(0);
    await writeFile(join(home, "bin/systemctl"), "#!/bin/sh\nexit 1\n");
    expect((await runCommand(again)).code).not.toBe(0);
    const { printed } = await runCommand(["uninstall", "--all", "--yes", "--json"]);
    expect(JSON.parse(printed)).toEqual({ removed: ["service"] });
  });

  it("keeps a file that Sallyport did not write", async () => {
    const home = await makeHome({});
    const folder = join(home, ".config/systemd/user");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "sallyport-proxy.service"), "[Unit]\n");
    const { code, text } = await runCommand(["proxy", "service", "install", "--yes"]);
    expect(text).toContain("was not written by Sallyport");
    expect(code).toBe(2);
  });

  it("names the command with all flags if it cannot ask", async () => {
    const home = await makeHome({});
    const files = ["--config", join(home, "config.json"), "--env-file", join(home, "keys.env")];
    const { code, text } = await runCommand(["proxy", "service", "install", ...files]);
    expect(code).toBe(2);
    expect(text).toContain(`proxy service install ${files.join(" ")} --yes`);
  });
});

describe.skipIf(process.platform !== "linux")("proxy service logs", () => {
  it("reports that the service or journalctl is not installed", async () => {
    const home = await makeHome({ ACME_KEY: "k", ACME_TOKEN: "t" });
    const { code, text } = await runCommand(["proxy", "service", "logs"]);
    expect(code).toBe(1);
    expect(text).toContain("Cannot run journalctl: it is not installed");
    const missing = "not installed as a service. To install it: sallyport proxy service install";
    expect(text).toContain(missing);
    await writeFile(join(home, "bin/journalctl"), "#!/bin/sh\n", { mode: 0o755 });
    const config = ["--config", join(home, "config.json")];
    expect((await runCommand(["proxy", "service", "install", "--yes", ...config])).code).toBe(0);
    const after = await runCommand(["proxy", "service", "logs"]);
    expect(after.code).toBe(0);
    expect(after.text).not.toContain(missing);
  });
});

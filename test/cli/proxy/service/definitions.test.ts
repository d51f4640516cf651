import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DOMParser, onErrorStopParsing } from "@xmldom/xmldom";
import { describe, expect, it } from "vitest";
import { formatLaunchdAgent } from "../../../../src/cli/proxy/service/launchd.ts";
import type { ServiceDefinition } from "../../../../src/cli/proxy/service/service-manager.ts";
import { formatSystemdUnit } from "../../../../src/cli/proxy/service/systemd.ts";
import { formatWindowsTask } from "../../../../src/cli/proxy/service/windows-tasks.ts";
import { runCommand } from "../../../../src/cli/run-command.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const plain: ServiceDefinition = {
  argv: ["/usr/bin/env", "/opt/sallyport/sallyport.js", "proxy", "start", "--service", "systemd"],
  environment: { SALLYPORT_HOME: "/home/dev/.local/share/sallyport", PATH: "/usr/bin:/bin" },
  folder: "/tmp",
  log: "/home/dev/.local/share/sallyport/proxy/proxy.log",
  stopSeconds: 45,
};

/** Values with characters that a file format could interpret. */
const awkward: ServiceDefinition = {
  ...plain,
  argv: [
    "/usr/bin/env",
    "/home/Jörg & Söhne/$HOME/a 'b' <c>/50% off",
    'say "hi"',
    "back\\slash",
    "--x=$PATH",
  ],
  environment: { ...plain.environment, NOTE: 'a "b" & <c> 100% \\ $d' },
};

const parseXml = (text: string) =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, "text/xml");

/** The text of each element of this name. */
const getTexts = (text: string, name: string) =>
  [...parseXml(text).getElementsByTagName(name)].map((element) => element.textContent);

describe("the systemd unit", () => {
  it("starts the proxy, restarts it after a crash, and stops it after its calls", () => {
    const unit = formatSystemdUnit(plain);
    expect(unit).toContain(
      'ExecStart="/usr/bin/env" "/opt/sallyport/sallyport.js" "proxy" "start" "--service" "systemd"\n',
    );
    expect(unit).toContain('Environment="SALLYPORT_HOME=/home/dev/.local/share/sallyport"\n');
    expect(unit).toContain('Environment="MALLOC_ARENA_MAX=1"\n');
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2 3$/m);
    expect(unit).toMatch(/^TimeoutStopSec=45$/m);
    expect(unit).toMatch(/^NotifyAccess=all$/m);
  });

  it("escapes what systemd would expand or unquote", () => {
    const unit = formatSystemdUnit(awkward);
    expect(unit).toContain('"/home/Jörg & Söhne/$$HOME/a \'b\' <c>/50%% off" "say \\"hi\\"" "back\\\\slash"');
    expect(unit).toContain('"--x=$$PATH"');
    expect(unit).toContain('Environment="NOTE=a \\"b\\" & <c> 100%% \\\\ $d"');
  });

  it.each([
    ["plain", plain],
    ["awkward", awkward],
  ])("is accepted by systemd-analyze where that is installed: %s values", async (_name, definition) => {
    const folder = await temporaryFolder();
    const path = join(folder, "sallyport-proxy.service");
    await writeFile(path, formatSystemdUnit(definition));
    const verify = ["systemd-analyze", "verify", "--man=no", "--user", path];
    const { code, stderr } = await runCommand("env", [`XDG_RUNTIME_DIR=${folder}`, ...verify]);
    // 127 if systemd is not installed, as on macOS; 126 if PATH also has a folder that the user cannot read.
    expect([[0, 126, 127], stderr]).toEqual([expect.arrayContaining([code]), stderr]);
    expect(stderr.split("\n").filter((line) => line.includes("sallyport-proxy.service"))).toEqual([]);
  });
});

describe("the launchd agent", () => {
  it.each([
    ["plain", plain],
    ["awkward", awkward],
  ])("is a property list with every argument and variable unchanged: %s values", (_name, definition) => {
    const text = formatLaunchdAgent(definition);
    const strings = getTexts(text, "string");
    expect(strings.slice(1, 1 + definition.argv.length)).toEqual(definition.argv);
    for (const value of Object.values(definition.environment)) expect(strings).toContain(value);
    for (const name of Object.keys(definition.environment)) expect(getTexts(text, "key")).toContain(name);
    expect(getTexts(text, "integer")).toContain("45");
    expect(parseXml(text).documentElement?.tagName).toBe("plist");
  });

  it("starts at login, and again after a crash only", () => {
    const text = formatLaunchdAgent(plain);
    expect(text).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/);
    expect(text).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/);
  });
});

describe("the Windows task", () => {
  const onWindows: ServiceDefinition = {
    ...plain,
    argv: ["C:\\Program Files\\nodejs\\node.exe", "C:\\Users\\Zoë\\sallyport.js", "proxy", "start"],
    environment: { SALLYPORT_HOME: "C:\\Users\\Zoë\\AppData\\Local\\sallyport" },
    log: "C:\\Users\\Zoë\\proxy.log",
  };

  it("is a task that runs the proxy at logon without a window or a time limit", () => {
    const text = formatWindowsTask(onWindows, "PC\\Zoë & Co");
    expect(getTexts(text, "UserId")).toEqual(["PC\\Zoë & Co", "PC\\Zoë & Co"]);
    expect(getTexts(text, "Arguments")).toEqual([
      '--headless cmd.exe /d /s /c "set "SALLYPORT_HOME=C:\\Users\\Zoë\\AppData\\Local\\sallyport"&& ' +
        '"C:\\Program Files\\nodejs\\node.exe" "C:\\Users\\Zoë\\sallyport.js" "proxy" "start" 2>> "C:\\Users\\Zoë\\proxy.log""',
    ]);
    expect(getTexts(text, "ExecutionTimeLimit")).toEqual(["PT0S"]);
  });

  it("is plain ASCII, because schtasks reads files in the system's code page", () => {
    expect(formatWindowsTask(onWindows, "PC\\Zoë")).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it.each(['C:\\a"b', "C:\\50%", "C:\\a\nb"])("refuses a value that cmd.exe would interpret: %j", (value) => {
    expect(() => formatWindowsTask({ ...onWindows, argv: [value] }, "dev")).toThrow(
      /Cannot pass .* to a scheduled task/,
    );
  });
});

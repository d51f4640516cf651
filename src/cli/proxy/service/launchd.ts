import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { RunCommand } from "../../run-command.ts";
import { expectSuccess } from "./run-program.ts";
import { OWN_MARK, type ServiceDefinition, type ServiceManager } from "./service-manager.ts";
import { escapeXml } from "./xml.ts";

/** The label of the launchd agent, and the name of its file without the extension. */
const LAUNCHD_LABEL = "sallyport.proxy";

/** Creates the manager of a user's launchd agents. */
export function createLaunchd({
  home,
  uid,
  run,
  pauseMs = 500,
}: {
  readonly home: string;
  readonly uid: number;
  readonly run: RunCommand;
  /** Milliseconds between two attempts to load the agent. */
  readonly pauseMs?: number;
}): ServiceManager {
  const file = join(home, "Library", "LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${uid}`;
  const service = `${domain}/${LAUNCHD_LABEL}`;
  return {
    name: "launchd",
    file,
    content: formatLaunchdAgent,
    async enable() {
      // A loaded agent keeps its old definition. If none is loaded, this command fails, which is ignored.
      const { code } = await run("launchctl", ["bootout", service]);
      await expectSuccess(run, "launchctl", ["enable", service]);
      const load = code === 0 ? onceReleased(run, pauseMs) : run;
      await expectSuccess(load, "launchctl", ["bootstrap", domain, file]);
    },
    start: async () => void (await expectSuccess(run, "launchctl", ["kickstart", service])),
    disable: async () => void (await expectSuccess(run, "launchctl", ["bootout", service])),
    async state() {
      const { code, stdout } = await run("launchctl", ["print", service]);
      const state = /^\s*state = (.+)$/m.exec(stdout)?.[1] ?? "not loaded";
      return { installed: code === 0, enabled: code === 0, running: state === "running", detail: state };
    },
    logCommand: () => undefined,
    notes: ["The service starts when you log in."],
  };
}

/** The exit codes of `launchctl bootstrap` while launchd still ends the old agent: EIO and EALREADY. */
const NOT_RELEASED = [5, 37];
/** Attempts within a minute: launchd releases an agent about 5 s after `bootout`, or once its last calls have ended. */
const RELEASE_ATTEMPTS = 120;

/** Repeats `launchctl bootstrap` until launchd has released the old agent. */
function onceReleased(run: RunCommand, pauseMs: number): RunCommand {
  return async (program, args) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await run(program, args);
      if (!NOT_RELEASED.includes(result.code ?? -1) || attempt === RELEASE_ATTEMPTS) return result;
      await pause(pauseMs);
    }
  };
}

/**
 * Returns the launchd agent of the proxy, a property list for `~/Library/LaunchAgents`. launchd starts the
 * proxy at login, and again whenever it exits with a code other than 0. Pure.
 */
export function formatLaunchdAgent({
  argv,
  environment,
  folder,
  log,
  stopSeconds,
}: ServiceDefinition): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${OWN_MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${formatString(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
${argv.map((arg) => `    ${formatString(arg)}`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment)
  .map(([name, value]) => `    <key>${escapeXml(name)}</key>\n    ${formatString(value)}`)
  .join("\n")}
  </dict>
  <key>WorkingDirectory</key>
  ${formatString(folder)}
  <key>StandardErrorPath</key>
  ${formatString(log)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>ProcessType</key>
  <string>Interactive</string>
</dict>
</plist>
`;
}

function formatString(text: string): string {
  return `<string>${escapeXml(text)}</string>`;
}

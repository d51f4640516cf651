import { join } from "node:path";
import type { RunCommand } from "../../run-command.ts";
import { expectSuccess } from "./expect-success.ts";
import { formatLaunchdAgent, LAUNCHD_LABEL } from "./launchd-agent.ts";
import type { ServiceManager } from "./service-manager.ts";

/** Creates the manager of launchd's agents of a user. */
export function createLaunchd({
  home,
  uid,
  run,
}: {
  readonly home: string;
  readonly uid: number;
  readonly run: RunCommand;
}): ServiceManager {
  const file = join(home, "Library", "LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${uid}`;
  const service = `${domain}/${LAUNCHD_LABEL}`;
  return {
    name: "launchd",
    file,
    content: formatLaunchdAgent,
    async enable() {
      // A loaded agent keeps its old definition; if none is loaded, this fails.
      await run("launchctl", ["bootout", service]);
      await expectSuccess(run, "launchctl", ["enable", service]);
      await expectSuccess(run, "launchctl", ["bootstrap", domain, file]);
    },
    start: async () => void (await expectSuccess(run, "launchctl", ["kickstart", service])),
    disable: async () => void (await expectSuccess(run, "launchctl", ["bootout", service])),
    async state() {
      const { code, stdout } = await run("launchctl", ["print", service]);
      const state = /^\s*state = (.+)$/m.exec(stdout)?.[1] ?? "not loaded";
      return { installed: code === 0, enabled: code === 0, running: state === "running", detail: state };
    },
    logCommand: () => undefined,
    notes: ["It starts when you log in."],
  };
}

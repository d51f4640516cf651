import { join } from "node:path";
import { baseDirectory, type Environment } from "../../../config/paths.ts";
import type { RunCommand } from "../../run-command.ts";
import { expectSuccess } from "./expect-success.ts";
import type { ServiceManager } from "./service-manager.ts";
import { formatSystemdUnit } from "./systemd-unit.ts";

const UNIT = "sallyport-proxy.service";

/** Creates the manager of systemd's user services. */
export function createSystemd({
  environment,
  home,
  run,
}: {
  readonly environment: Environment;
  readonly home: string;
  readonly run: RunCommand;
}): ServiceManager {
  const configuration = baseDirectory(environment, "XDG_CONFIG_HOME") ?? join(home, ".config");
  const systemctl = (...args: string[]) => expectSuccess(run, "systemctl", ["--user", ...args]);
  return {
    name: "systemd",
    file: join(configuration, "systemd", "user", UNIT),
    content: formatSystemdUnit,
    async enable() {
      await systemctl("daemon-reload");
      await systemctl("enable", UNIT);
      // Not `enable --now`: a unit that runs already would keep its old definition.
      await systemctl("restart", UNIT);
    },
    start: async () => void (await systemctl("start", UNIT)),
    async disable() {
      await systemctl("disable", "--now", UNIT);
    },
    async state() {
      const { stdout } = await run("systemctl", [
        "--user",
        "show",
        UNIT,
        "--property=LoadState,ActiveState,SubState,UnitFileState",
      ]);
      const values = new Map(
        stdout.split("\n").map((line) => [line.split("=")[0], line.split("=")[1] ?? ""] as const),
      );
      const active = values.get("ActiveState") ?? "unknown";
      return {
        installed: values.get("LoadState") === "loaded",
        enabled: values.get("UnitFileState") === "enabled",
        running: active === "active" || active === "reloading",
        detail: `${active} (${values.get("SubState") ?? "unknown"})`,
      };
    },
    logCommand: (lines, { follow, json }) => [
      ...["journalctl", "--user", `--unit=${UNIT}`, `--lines=${lines}`, "--no-pager"],
      json ? "--output=json" : "--output=cat",
      ...(follow ? ["--follow"] : []),
    ],
    notes: ["It runs while you are logged in. To run it from boot on: loginctl enable-linger"],
  };
}

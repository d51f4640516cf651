import { join } from "node:path";
import { baseDirectory } from "../../../config/paths.ts";
import { ALLOCATOR_VARIABLES } from "../../spawn-detached.ts";
import { expectSuccess } from "./run-program.ts";
import {
  DESCRIPTION,
  OWN_MARK,
  type ServiceDefinition,
  type ServiceHost,
  type ServiceManager,
} from "./service-manager.ts";

const UNIT = "sallyport-proxy.service";

/** Creates the manager of systemd's user services. */
export function createSystemd({ environment, home, run }: ServiceHost): ServiceManager {
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
      const { stdout } = await systemctl(
        "show",
        UNIT,
        "--property=LoadState,ActiveState,SubState,UnitFileState",
      );
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
    notes: ["The service runs while you are logged in. To start it at boot: loginctl enable-linger"],
  };
}

/**
 * Returns the systemd user unit of the proxy. `NotifyAccess=all` lets a proxy that is replaced name its successor as
 * the main process. systemd does not restart the proxy after exit codes 2 (usage or configuration) and 3 (address or
 * port not available), because the errors would recur. Pure.
 */
export function formatSystemdUnit({ argv, environment, folder, stopSeconds }: ServiceDefinition): string {
  const variables = Object.entries({ ...ALLOCATOR_VARIABLES, ...environment }).map(
    ([name, value]) => `Environment=${quote(`${name}=${value}`)}`,
  );
  return [
    `# ${OWN_MARK}`,
    "[Unit]",
    `Description=${DESCRIPTION}`,
    "StartLimitIntervalSec=60",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=exec",
    "NotifyAccess=all",
    `ExecStart=${argv.map((arg) => quote(arg.replaceAll("$", "$$$$"))).join(" ")}`,
    "ExecReload=/bin/kill -HUP $MAINPID",
    `WorkingDirectory=${escapePercent(folder)}`,
    ...variables,
    "Restart=on-failure",
    "RestartSec=2",
    "RestartPreventExitStatus=2 3",
    `TimeoutStopSec=${stopSeconds}`,
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** Quotes an argument for systemd: C-style escapes, and `%` doubled. See systemd.service(5), "Command lines". */
function quote(text: string): string {
  const escaped = escapePercent(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

function escapePercent(text: string): string {
  return text.replaceAll("%", "%%");
}

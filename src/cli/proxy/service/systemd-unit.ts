import { DESCRIPTION, OWN_MARK, type ServiceDefinition } from "./definition.ts";

/**
 * Returns the systemd user unit of the proxy. `NotifyAccess=all` lets a proxy that is replaced name its successor as the
 * main process. Errors of usage and configuration (exit code 2) and a taken port (3) do not pass by themselves, so
 * the proxy is not restarted after them. Pure.
 */
export function formatSystemdUnit({ argv, environment, folder, stopSeconds }: ServiceDefinition): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
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
    `ExecStart=${argv.map((arg) => quoted(arg.replaceAll("$", "$$$$"))).join(" ")}`,
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
function quoted(text: string): string {
  const escaped = escapePercent(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

function escapePercent(text: string): string {
  return text.replaceAll("%", "%%");
}

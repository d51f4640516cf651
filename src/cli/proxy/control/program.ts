import { type Command, Option } from "commander";
import { addHelpCommand } from "../../help.ts";
import type { Output } from "../../output.ts";
import type { SetExitCode } from "../../program.ts";
import type { ServiceInstallFlags, ServiceLogsFlags, ServiceUninstallFlags } from "../service/service.ts";
import type { ProxyLogsFlags } from "./logs.ts";
import type { ProxyRestartFlags } from "./restart.ts";
import type { ProxyOpenFlags } from "./status.ts";
import type { ProxyStopFlags } from "./stop.ts";

/** Adds `status`, `stop`, `restart`, `logs`, `open` and `service`. */
export function addControlCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  proxy
    .command("status")
    .description("List the proxies that run on this machine")
    .option("--json", "as JSON", false)
    .action(async (flags: { readonly json: boolean }) => {
      const { showProxyStatus } = await import("./status.ts");
      setExitCode(await showProxyStatus(flags, output));
    });
  addPort(proxy.command("stop"))
    .description("Stop a proxy once its running calls have ended")
    .option("--all", "stop every proxy of this user", false)
    .option("--json", "print {stopped} as JSON", false)
    .action(async (flags: ProxyStopFlags) => {
      const { stopProxy } = await import("./stop.ts");
      setExitCode(await stopProxy(flags, output));
    });
  addPort(proxy.command("restart"))
    .description(
      "Replace a running proxy with the program on disk, for example after an upgrade, without losing calls",
    )
    .option("--json", "print {url, port, pid, version, replaced} as JSON", false)
    .action(async (flags: ProxyRestartFlags) => {
      const { restartProxy } = await import("./restart.ts");
      setExitCode(await restartProxy(flags, output));
    });
  addLines(proxy.command("logs"))
    .description("Print the last calls, one line each; with --follow, also new calls")
    .option("--json", "the lines of the request log as they are, one JSON object each", false)
    .action(async (flags: ProxyLogsFlags) => {
      const { showProxyLogs } = await import("./logs.ts");
      setExitCode(await showProxyLogs(flags, output));
    });
  addPort(proxy.command("open"))
    .description("Open the dashboard of the running proxy in the browser")
    .option("--json", "print {url} as JSON", false)
    .action(async (flags: ProxyOpenFlags) => {
      const { openDashboard } = await import("./status.ts");
      setExitCode(await openDashboard(flags, output));
    });
  addServiceCommands(proxy, output, setExitCode);
}

function addServiceCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  const service = proxy
    .command("service")
    .description("Run the proxy as a service of this user: systemd, launchd or the Windows Task Scheduler");
  service
    .command("install")
    .description("Start the proxy now and at each login: shows the service's file and asks first")
    .option("--config <file>", "configuration file of the service (default: the user's)")
    .option("--env-file <file>", "file with API keys and other variables, lines of the form NAME=value")
    .option("--print", "print the service's file instead of installing it", false)
    .option("--yes", "do not ask", false)
    .option("--json", "print {manager, file, argv} as JSON", false)
    .action(async (flags: ServiceInstallFlags) => {
      const { installService } = await import("../service/service.ts");
      setExitCode(await installService(flags, output));
    });
  service
    .command("status")
    .description("Print whether the service is installed and running")
    .option("--json", "as JSON", false)
    .action(async (flags: { readonly json: boolean }) => {
      const { showServiceStatus } = await import("../service/service.ts");
      setExitCode(await showServiceStatus(flags, output));
    });
  addLines(service.command("logs"))
    .description("Print the last messages of the service; for calls, see proxy logs")
    .option("--json", "one JSON object per line, with MESSAGE as in journalctl", false)
    .action(async (flags: ServiceLogsFlags) => {
      const { showServiceLogs } = await import("../service/service.ts");
      setExitCode(await showServiceLogs(flags, output));
    });
  service
    .command("uninstall")
    .description("Stop the service and remove its file")
    .option("--yes", "do not ask", false)
    .option("--json", "print {manager, file, removed} as JSON", false)
    .action(async (flags: ServiceUninstallFlags) => {
      const { uninstallService } = await import("../service/service.ts");
      setExitCode(await uninstallService(flags, output));
    });
  addHelpCommand(service);
}

/** Returns the hidden flag of `proxy start` that names the service manager. */
export function createServiceOption(): Option {
  return new Option("--service <manager>").choices(["systemd", "launchd", "windows"]).hideHelp();
}

function addPort(command: Command): Command {
  return command.option("--port <number>", "the proxy on this port (default: the only running one)");
}

function addLines(command: Command): Command {
  return command
    .option("-f, --follow", "print new lines as they come, until Ctrl-C", false)
    .option("-n, --lines <number>", "number of lines from the end", "50");
}

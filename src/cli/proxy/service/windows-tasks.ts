import { join } from "node:path";
import { dataDirectory, type Environment } from "../../../config/paths.ts";
import type { RunCommand } from "../../run-command.ts";
import { expectSuccess } from "./expect-success.ts";
import type { ServiceManager } from "./service-manager.ts";
import { formatWindowsTask, WINDOWS_TASK } from "./windows-task.ts";

/** Creates the manager of the Windows Task Scheduler. */
export function createWindowsTasks({
  environment,
  home,
  run,
}: {
  readonly environment: Environment;
  readonly home: string;
  readonly run: RunCommand;
}): ServiceManager {
  const file = join(dataDirectory({ HOME: home, ...environment }, "win32"), "proxy", "task.xml");
  const user = `${environment["USERDOMAIN"] ?? "."}\\${environment["USERNAME"] ?? ""}`;
  const schtasks = (...args: string[]) => expectSuccess(run, "schtasks", args);
  return {
    name: "windows",
    file,
    content: (definition) => formatWindowsTask(definition, user),
    async enable() {
      await schtasks("/Create", "/F", "/TN", WINDOWS_TASK, "/XML", file);
      await schtasks("/Run", "/TN", WINDOWS_TASK);
    },
    start: async () => void (await schtasks("/Run", "/TN", WINDOWS_TASK)),
    disable: async () => void (await schtasks("/Delete", "/F", "/TN", WINDOWS_TASK)),
    async state() {
      const { code, stdout } = await run("schtasks", ["/Query", "/TN", WINDOWS_TASK, "/FO", "CSV", "/NH"]);
      // "\Sallyport Proxy","N/A","Running"; the last column is in the system's language.
      const detail = /"([^"]*)"\s*$/.exec(stdout.trim())?.[1] ?? "not installed";
      return { installed: code === 0, enabled: code === 0, running: detail === "Running", detail };
    },
    logCommand: () => undefined,
    notes: ["It starts when you log on."],
  };
}

import { getHomeDirectory, processEnvironment } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import { type RunCommand, runCommand } from "../../run-command.ts";
import { createLaunchd } from "./launchd.ts";
import type { ServiceManager } from "./service-manager.ts";
import { createSystemd } from "./systemd.ts";
import { createWindowsTasks } from "./windows-tasks.ts";

/** Returns the service manager of this system. Throws `service_failed` if Sallyport supports none. */
export function createServiceManager(
  platform: NodeJS.Platform = process.platform,
  run: RunCommand = runCommand,
): ServiceManager {
  const environment = processEnvironment;
  const home = getHomeDirectory(environment);
  if (platform === "darwin") return createLaunchd({ home, uid: process.getuid?.() ?? 0, run });
  if (platform === "win32") return createWindowsTasks({ environment, home, run });
  if (platform === "linux") return createSystemd({ environment, home, run });
  throw new AppError("service_failed", `There is no service manager for ${platform}`, {
    hint: "Run the proxy in the background: sallyport proxy start --detach",
  });
}

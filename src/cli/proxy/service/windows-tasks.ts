import { join } from "node:path";
import { dataDirectory } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import type { RunCommand } from "../../run-command.ts";
import { expectSuccess } from "./run-program.ts";
import {
  DESCRIPTION,
  OWN_MARK,
  type ServiceDefinition,
  type ServiceHost,
  type ServiceManager,
} from "./service-manager.ts";
import { escapeXml } from "./xml.ts";

/** The task's name in the Task Scheduler. */
const WINDOWS_TASK = "Sallyport Proxy";

/** Creates the manager of tasks in the Windows Task Scheduler. */
export function createWindowsTasks({ environment, home, run }: ServiceHost): ServiceManager {
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
    async disable() {
      // Deleting a task does not end it. Ending fails if the task is not running.
      await run("schtasks", ["/End", "/TN", WINDOWS_TASK]);
      await schtasks("/Delete", "/F", "/TN", WINDOWS_TASK);
    },
    async state() {
      const { code } = await run("schtasks", ["/Query", "/TN", WINDOWS_TASK]);
      const installed = code === 0;
      const detail = installed ? await readState(run) : "not installed";
      return {
        installed,
        enabled: installed && detail !== "disabled",
        running: detail === "running",
        detail,
      };
    },
    logCommand: () => undefined,
    notes: ["The service starts when you log on."],
  };
}

/** Names of the values of TASK_STATE: https://learn.microsoft.com/windows/win32/api/taskschd/ne-taskschd-task_state */
const TASK_STATES = ["unknown", "disabled", "queued", "ready", "running"];

/** Returns the state of the task. PowerShell prints it as a number; schtasks prints it in the system's language. */
async function readState(run: RunCommand): Promise<string> {
  const script = `[int](Get-ScheduledTask -TaskPath '\\' -TaskName '${WINDOWS_TASK}').State`;
  const { stdout } = await run("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", script]);
  return TASK_STATES[Number(stdout)] ?? "unknown";
}

/**
 * Returns the definition of a scheduled task that starts the proxy when the user logs on, in the Task Scheduler's XML
 * (schema 1.2). A task has neither variables nor a log, so cmd.exe sets the variables and writes the log;
 * `conhost --headless` hides the window of cmd.exe. Pure. Throws `usage` for values that cmd.exe would change.
 */
export function formatWindowsTask(definition: ServiceDefinition, user: string): string {
  return `<?xml version="1.0"?>
<!-- ${OWN_MARK} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${escapeXml(DESCRIPTION)}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${escapeXml(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${escapeXml(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${escapeXml(`--headless cmd.exe /d /s /c "${commandLine(definition)}"`)}</Arguments>
      <WorkingDirectory>${escapeXml(definition.folder)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
}

/** Returns the command line of cmd.exe, whose `/s` removes only the outer quotes. */
function commandLine({ argv, environment, log }: ServiceDefinition): string {
  const sets = Object.entries(environment).map(([name, value]) => `set "${name}=${expectPlain(value)}"&& `);
  return `${sets.join("")}${argv.map((arg) => `"${expectPlain(arg)}"`).join(" ")} 2>> "${expectPlain(log)}"`;
}

/** Throws `usage` for characters that cmd.exe interprets inside quotes. */
function expectPlain(text: string): string {
  if (!/["%\r\n]/.test(text)) return text;
  throw new AppError(
    "usage",
    `Cannot pass ${JSON.stringify(text)} to a scheduled task: cmd.exe would change it`,
    {
      hint: 'Use a path without " or %.',
    },
  );
}

import { resolve } from "node:path";
import type { InstallTarget } from "../../../agents/agent.ts";
import {
  type Change,
  changesToInstall,
  changesToUninstall,
  resolveTarget,
} from "../../../agents/file-edits/changes.ts";
import type { FileEdit } from "../../../agents/file-edits/file-edit.ts";
import type { ReceiptStore } from "../../../agents/file-edits/receipts.ts";
import { forgetReceipts, writeChanges } from "../../../agents/file-edits/write-changes.ts";
import { isTemporary, unattendedLine } from "../../../agents/own-command.ts";
import { dataDirectory, getHomeDirectory, processEnvironment } from "../../../config/paths.ts";
import { configurationPath } from "../../../config/proxy/settings.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import type { Output } from "../../output.ts";
import { readProxyConfiguration } from "../../proxy-configuration.ts";
import { carryOut } from "../../setup/carry-out.ts";
import { findOnPath } from "../../setup/doctor/programs.ts";
import { currentInstallTarget, openReceipts } from "../../setup/install-target.ts";
import { followLines, readLastLines } from "../control/follow-file.ts";
import { parseCount, printLines } from "../control/logs.ts";
import { NOT_RUNNING } from "../control/status.ts";
import { getProxyLogFile } from "../start/start-detached.ts";
import { createServiceManager } from "./create-service-manager.ts";
import { runVisibly } from "./run-program.ts";
import { OWN_MARK, type ServiceDefinition, type ServiceManager } from "./service-manager.ts";
import { listShellVariables, recordReads } from "./shell-variables.ts";

export interface ServiceInstallFlags {
  readonly config?: string;
  readonly envFile?: string;
  readonly print: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

export interface ServiceUninstallFlags {
  readonly yes: boolean;
  readonly json: boolean;
}

/** Seconds that a proxy may take to end after its last call. */
const CLOSE_SECONDS = 15;
/** Seconds to drain if `drain_timeout` sets no limit. */
const NO_LIMIT_SECONDS = 3_600;

/** The service to install, and the file changes that install it. */
interface ServicePlan {
  readonly manager: ServiceManager;
  readonly definition: ServiceDefinition;
  /** The variables of this shell that the proxy needs and the service does not have. */
  readonly shellVariables: readonly string[];
  readonly receipts: ReceiptStore;
  readonly edits: readonly FileEdit[];
  readonly changes: readonly Change[];
}

/** Returns the service and the changes that `sallyport proxy service install` would make. Only reads. */
export async function planService(
  flags: Pick<ServiceInstallFlags, "config" | "envFile">,
): Promise<ServicePlan> {
  const manager = createServiceManager();
  const { definition, shellVariables } = await defineService(flags, manager);
  const receipts = openReceipts("service", "proxy");
  const edits = [createEdit(manager, definition)];
  const changes = await changesToInstall(edits, receipts);
  return { manager, definition, shellVariables, receipts, edits, changes };
}

/** Runs `sallyport proxy service install`. Resolves to the exit code. */
export async function installService(flags: ServiceInstallFlags, output: Output): Promise<number> {
  if (flags.print) {
    const manager = createServiceManager();
    await output.result(manager.content((await defineService(flags, manager)).definition));
    return 0;
  }
  const target = await currentInstallTarget(false);
  const plan = await planService(flags);
  const { manager, definition, receipts, edits, changes } = plan;
  const unasked = unattendedLine([...target.argv, "proxy", "service", "install"], {
    "--config": flags.config,
    "--env-file": flags.envFile,
  });
  if (changes.length > 0) {
    const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
    if (exitCode !== undefined) return exitCode;
  }
  try {
    await manager.enable();
  } catch (error) {
    // Restores the files, because the manager would otherwise start the service at the next login.
    await writeChanges(
      changes.map(({ before, after, ...change }) => ({ ...change, before: after, after: before })),
      receipts,
    );
    // An earlier installation keeps its receipt, with which `uninstall --all` finds it.
    if (changes.some(({ before }) => before === undefined)) await forget(edits);
    throw error;
  }
  for (const note of listInstallNotes(plan, target.argv)) output.note(note);
  if (flags.json)
    await output.result(
      JSON.stringify({ manager: manager.name, file: manager.file, argv: definition.argv }, null, 2),
    );
  return 0;
}

function listInstallNotes(
  { manager, shellVariables }: ServicePlan,
  argv: readonly string[],
): readonly string[] {
  const temporary = isTemporary(argv)
    ? [
        "This copy of Sallyport is in a package manager's cache. The service cannot start it after that cache is cleared. Install Sallyport permanently, then run this command again.",
      ]
    : [];
  return [
    `The proxy runs as a service of ${manager.name}, defined in ${manager.file}`,
    ...manager.notes,
    ...noteShellVariables(shellVariables),
    ...temporary,
  ];
}

function noteShellVariables(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    `Warning: the service does not inherit these variables of this shell: ${names.join(", ")}. Write them to a file, then install the service with --env-file FILE.`,
  ];
}

/** Runs `sallyport proxy service uninstall`. Resolves to the exit code. */
export async function uninstallService(flags: ServiceUninstallFlags, output: Output): Promise<number> {
  const manager = createServiceManager();
  const target = await currentInstallTarget(false);
  const receipts = openReceipts("service", "proxy");
  const edits = [createEdit(manager, undefined)];
  const changes = await changesToUninstall(edits, receipts);
  const removed = changes.length > 0;
  if (!removed) output.note("The proxy is not installed as a service. No changes made.");
  else {
    const unasked = `${target.command} proxy service uninstall --yes`;
    const undertaking = {
      changes,
      receipts,
      unasked,
      yes: flags.yes,
      before: () => disable(manager, output),
    };
    const exitCode = await carryOut(undertaking, output);
    if (exitCode !== undefined) return exitCode;
    output.note(`Removed the service from ${manager.name}.`);
  }
  await forget(edits);
  if (flags.json)
    await output.result(JSON.stringify({ manager: manager.name, file: manager.file, removed }, null, 2));
  return 0;
}

/** Stops the service. A failure is only reported, because the manager may no longer have the service. */
async function disable(manager: ServiceManager, output: Output): Promise<void> {
  await manager.disable().catch((error: unknown) => output.note(getErrorMessage(error)));
}

/**
 * Runs `sallyport proxy service status`. Resolves to the exit code, 3 if the service does not run. Throws
 * `service_failed` if the service manager cannot be reached.
 */
export async function showServiceStatus(
  { json }: { readonly json: boolean },
  output: Output,
): Promise<number> {
  const manager = createServiceManager();
  const state = await manager.state();
  if (json)
    await output.result(JSON.stringify({ manager: manager.name, file: manager.file, ...state }, null, 2));
  else
    await output.result(
      [
        `manager    ${manager.name}`,
        `file       ${manager.file}`,
        `installed  ${state.installed ? "yes" : "no"}`,
        `at login   ${state.enabled ? "starts" : "does not start"}`,
        `state      ${state.detail}`,
      ].join("\n"),
    );
  return state.running ? 0 : NOT_RUNNING;
}

export interface ServiceLogsFlags {
  readonly follow: boolean;
  readonly lines: string;
  readonly json: boolean;
}

/** Runs `sallyport proxy service logs`: prints the messages of the service, not the calls. */
export async function showServiceLogs(flags: ServiceLogsFlags, output: Output): Promise<number> {
  const count = parseCount(flags.lines);
  const manager = createServiceManager();
  const command = manager.logCommand(count, flags);
  if (command !== undefined) {
    if ((await openReceipts("service", "proxy").find(manager.file)) === undefined)
      output.note("The proxy is not installed as a service. To install it: sallyport proxy service install");
    return runVisibly(command);
  }
  const path = getProxyLogFile();
  const { lines, end } = await readLastLines(path, count);
  const format = flags.json ? (line: string) => JSON.stringify({ MESSAGE: line }) : (line: string) => line;
  if (flags.follow)
    return printLines(lines, format, (onLine, signal) => followLines(path, end, onLine, signal));
  if (lines.length === 0) output.note(`${path} has no messages.`);
  else await output.result(lines.map(format).join("\n"));
  return 0;
}

/**
 * Returns the definition of the service. Throws `configuration` if the configuration is invalid, or if `envFile` cannot
 * be read.
 */
async function defineService(
  { config, envFile }: Pick<ServiceInstallFlags, "config" | "envFile">,
  manager: ServiceManager,
): Promise<Pick<ServicePlan, "definition" | "shellVariables">> {
  const recorded = recordReads(processEnvironment);
  const { environment } = recorded;
  const flags = { config };
  const { config: resolved, loaded } = await readProxyConfiguration(environment, flags, false);
  const target = await currentInstallTarget(false);
  const path = resolve(configurationPath(environment, flags));
  const data = resolve(dataDirectory(environment));
  const drain = resolved.drainTimeoutMs > 0 ? resolved.drainTimeoutMs / 1000 : NO_LIMIT_SECONDS;
  const shellVariables = await listShellVariables(recorded, envFile);
  const definition = {
    argv: [
      ...(await findProgram(target)),
      ...["proxy", "start", "--service", manager.name],
      ...(loaded.file === undefined ? [] : ["--config", path]),
      ...(envFile === undefined ? [] : ["--env-file", resolve(envFile)]),
    ],
    environment: {
      SALLYPORT_HOME: data,
      // Scheduled tasks have the user's PATH, and other managers have a short PATH.
      ...(manager.name === "windows" ? {} : { PATH: environment["PATH"] ?? "" }),
    },
    folder: getHomeDirectory(environment),
    log: getProxyLogFile(data),
    stopSeconds: Math.ceil(drain + resolved.drainDelayMs / 1000 + CLOSE_SECONDS),
  };
  return { definition, shellVariables };
}

/** Returns the command line of this installation with the program's full path: a service manager's PATH is short. */
async function findProgram({ argv, environment }: InstallTarget): Promise<readonly string[]> {
  const [program = "", ...args] = argv;
  return [(await findOnPath(program, environment["PATH"] ?? "")) ?? program, ...args];
}

/** Returns the edit of the service's file. A file that Sallyport did not write is not changed. */
function createEdit(manager: ServiceManager, definition: ServiceDefinition | undefined): FileEdit {
  return {
    path: manager.file,
    purpose: `the proxy as a service of ${manager.name}`,
    install(text) {
      if (definition && (text === undefined || text.includes(OWN_MARK))) return manager.content(definition);
      throw new AppError("configuration", "The file exists and was not written by Sallyport", {
        hint: "Move it away or rename it, then run the command again. No changes made.",
      });
    },
    uninstall: (text) => (text?.includes(OWN_MARK) ? undefined : text),
  };
}

async function forget(edits: readonly FileEdit[]): Promise<void> {
  const receipts = openReceipts("service", "proxy");
  await forgetReceipts(await Promise.all(edits.map(({ path }) => resolveTarget(path))), receipts);
}

import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { changesToUninstall } from "../agents/file-edits/changes.ts";
import type { FileEdit } from "../agents/file-edits/file-edit.ts";
import { NO_CONNECTION } from "../agents/proxy-connector.ts";
import { proxyClients, reviewedAgents } from "../agents/registry.ts";
import { configFile, dataDirectory, processEnvironment } from "../config/paths.ts";
import { AppError, systemErrorCode } from "../errors.ts";
import { storageFailure } from "../files/durable-file.ts";
import { listRunning } from "../review/live/running-files.ts";
import { noteError, type Output } from "./output.ts";
import { disconnect } from "./proxy/connect/connect.ts";
import { stopProxy } from "./proxy/control/stop.ts";
import { listRunningProxies } from "./proxy/running-proxies.ts";
import { createServiceManager } from "./proxy/service/create-service-manager.ts";
import { uninstallService } from "./proxy/service/service.ts";
import { confirm, describeMissingTerminal } from "./setup/carry-out.ts";
import { uninstall } from "./setup/install.ts";
import { currentInstallTarget, openReceipts } from "./setup/install-target.ts";
import type { UninstallAllFlags } from "./setup/program.ts";

const INTERRUPTED = 130;

/**
 * Runs `sallyport uninstall --all`: removes every hook and connection and the service, and stops running proxies;
 * with `--data`, also deletes the data directory. With `--project`, removes only the hooks and connections in the
 * settings of the repository. Resolves to the exit code: 130 if the person presses Ctrl-C at a question, otherwise that
 * of the first failed step, or 0. If a step fails, the data directory stays. Throws `usage` for `--data` with
 * `--project`, and as `removeData` does.
 */
export async function uninstallAll(flags: UninstallAllFlags, output: Output): Promise<number> {
  if (flags.data && flags.project)
    throw new AppError("usage", "--data cannot be used with --project", {
      hint: "Omit --project to delete the data directory, which all your projects share.",
    });
  const removed: string[] = [];
  let hasDeclined = false;
  let failure: AppError | undefined;
  // Each step prints its own notes; only this command prints a result.
  const quiet: Output = { ...output, note: output.note, result: async () => true };
  for (const step of await listSteps(flags, quiet)) {
    const outcome = await takeStep(step, output);
    if (outcome.kind === "interrupted") return outcome.exitCode;
    if (outcome.kind === "declined") hasDeclined = true;
    else if (outcome.kind === "removed") removed.push(step.id);
    else if (outcome.kind === "failed") failure ??= outcome.error;
  }
  const folder = resolve(dataDirectory(processEnvironment));
  const proxies = flags.project ? [] : await listRunningProxies(folder);
  if (!flags.project) await stopProxy({ all: true, json: true }, quiet);
  if (proxies.length > 0) output.note(`Stopped ${proxies.map(({ url }) => url).join(", ")}.`);
  const data = flags.data && failure === undefined ? await removeData(flags, output) : undefined;
  if (data === INTERRUPTED) return INTERRUPTED;
  if (data === "removed") removed.push("data");
  if (flags.json) await output.result(JSON.stringify({ removed }, null, 2));
  else {
    if (removed.length === 0 && proxies.length === 0 && !hasDeclined && failure === undefined)
      output.note("No agent has files from Sallyport. No changes made.");
    output.note(`To remove the program: npm uninstall --global sallyport, or delete the executable.`);
    if (!flags.data) output.note(`Plans, drafts and decisions stay in ${folder}`);
  }
  if (failure === undefined) return 0;
  if (flags.data)
    output.note(`The data directory stays, because it has the backups for the failed steps: ${folder}`);
  return failure.exitCode;
}

type StepOutcome =
  | { readonly kind: "absent" | "removed" | "declined" }
  | { readonly kind: "failed"; readonly error: AppError }
  /** Ctrl-C at the question of the step. */
  | { readonly kind: "interrupted"; readonly exitCode: number };

/**
 * Carries out a step if its part is installed. Prints and returns the error of a failed step, so that an invalid file
 * of one agent does not prevent the removal of the other parts. Throws `usage` if there is no terminal to ask in.
 */
async function takeStep({ title, isThere, remove }: Step, output: Output): Promise<StepOutcome> {
  try {
    if (!(await isThere())) return { kind: "absent" };
    const exitCode = await remove();
    if (exitCode !== 0) return { kind: "interrupted", exitCode };
    if (await isThere()) return { kind: "declined" };
    output.note(`${title}: done.`, "detail");
    return { kind: "removed" };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "usage") throw error;
    noteError(output, error, title);
    return { kind: "failed", error };
  }
}

/** A part of Sallyport outside of its data directory. */
interface Step {
  readonly id: string;
  readonly title: string;
  readonly isThere: () => Promise<boolean>;
  /** Resolves to the exit code, which is 0 also if the person declines. */
  readonly remove: () => Promise<number>;
}

/** Returns the parts that may be installed: hooks, then connections, then the service, which belongs to no project. */
async function listSteps(flags: UninstallAllFlags, output: Output): Promise<readonly Step[]> {
  const target = await currentInstallTarget(flags.project);
  const areThere = async (agent: string, part: "review" | "proxy", edits: readonly FileEdit[]) =>
    (await changesToUninstall(edits, openReceipts(agent, part))).length > 0;
  const isElsewhere = ({ isUserOnly }: Agent) => flags.project && isUserOnly;
  const steps: Step[] = [];
  for (const agent of reviewedAgents) {
    const { id, name, install } = agent;
    if (isElsewhere(agent)) continue;
    const edits = (await install()).edits(target);
    const isThere = () => areThere(id, "review", edits);
    steps.push({ id, title: `hook of ${name}`, isThere, remove: () => uninstall(id, flags, output) });
  }
  for (const client of proxyClients) {
    const { id, name, proxy } = client;
    if (isElsewhere(client)) continue;
    const edits = (await proxy.load()).edits(target, NO_CONNECTION);
    const isThere = () => areThere(id, "proxy", edits);
    const remove = () => disconnect(id, { ...flags, print: false }, output);
    steps.push({ id: `${id} → proxy`, title: `connection of ${name}`, isThere, remove });
  }
  if (!flags.project)
    steps.push({
      id: "service",
      title: "service",
      isThere: isServiceInstalled,
      remove: () => uninstallService({ yes: flags.yes, json: false }, output),
    });
  return steps;
}

async function isServiceInstalled(): Promise<boolean> {
  try {
    const { file } = createServiceManager();
    return (await openReceipts("service", "proxy").find(file)) !== undefined;
  } catch (error) {
    // The system has no service manager that Sallyport supports.
    if (error instanceof AppError && error.code === "service_failed") return false;
    throw error;
  }
}

/** Files and folders of Sallyport in the data directory. */
const OWN_ENTRIES = new Set([
  "agents",
  "code-cache",
  "decisions",
  "drafts",
  "history",
  "indexes",
  "live-plans",
  "plans",
  "plugins",
  "proxy",
  "pull-requests",
  "rounds",
  "running",
  "sessions",
  "settings.json",
  "tabs",
  "threads",
  "uploads",
]);

/**
 * Deletes the data directory; without `--yes`, asks first. If the directory contains the configuration file, as on
 * macOS, deletes only the files and folders of Sallyport in it; otherwise throws `usage` if it contains other files
 * whose names do not begin with a dot. Throws `usage` if a review is open, or if it cannot ask because stdin or stderr
 * is not a terminal.
 */
async function removeData(
  { yes }: UninstallAllFlags,
  output: Output,
): Promise<"removed" | "kept" | typeof INTERRUPTED> {
  const folder = resolve(dataDirectory(processEnvironment));
  const entries = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw storageFailure(folder, error);
  });
  if (entries === undefined) return "kept";
  const isOwn = (name: string) => OWN_ENTRIES.has(name);
  const configuration = resolve(configFile(processEnvironment));
  const isShared = dirname(configuration) === folder && entries.includes(basename(configuration));
  if (isShared && !entries.some(isOwn)) return "kept";
  const foreign = isShared ? [] : entries.filter((name) => !isOwn(name) && !name.startsWith("."));
  if (foreign.length > 0)
    throw new AppError("usage", `${folder} was not deleted: it contains other files: ${foreign.join(", ")}`, {
      hint: "Move them away, or delete the folder yourself.",
    });
  const open = await listRunning(folder);
  if (open.length > 0)
    throw new AppError(
      "usage",
      `${folder} was not deleted: ${open.length === 1 ? "1 review is" : `${open.length} reviews are`} open`,
      { hint: "Decide or close all open reviews first. To list them, run: sallyport review list" },
    );
  if (!yes) {
    const missing = describeMissingTerminal();
    if (missing !== undefined)
      throw new AppError("usage", `${folder} was not deleted: ${missing}`, {
        hint: "To delete it without asking, add --yes.",
      });
    const what = "all plans, drafts, decisions, keys and usage";
    const question = isShared ? `Delete ${what} in ${folder}?` : `Delete ${folder} with ${what}?`;
    const reply = await confirm(question, process.stdin, process.stderr);
    if (reply === "interrupted") return INTERRUPTED;
    if (reply === "no") return "kept";
  }
  const targets = isShared ? entries.filter(isOwn).map((name) => join(folder, name)) : [folder];
  for (const target of targets) await rm(target, { recursive: true, force: true });
  output.note(isShared ? `Deleted the data in ${folder}; the configuration stays.` : `Deleted ${folder}.`);
  return "removed";
}

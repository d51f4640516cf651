import type { InstallTarget } from "../../agents/agent.ts";
import { changesToInstall, changesToUninstall, resolveTarget } from "../../agents/file-edits/changes.ts";
import { type InstallState, readEitherState } from "../../agents/file-edits/install-state.ts";
import { forgetReceipts } from "../../agents/file-edits/write-changes.ts";
import { isTemporary } from "../../agents/own-command.ts";
import { type ReviewedAgent, reviewedAgentNamed, reviewedAgents } from "../../agents/registry.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";
import { table } from "../table.ts";
import { carryOut } from "./carry-out.ts";
import { isOnPath } from "./doctor/programs.ts";
import {
  currentInstallTarget,
  openReceipts,
  requireProjectSettings,
  requireRepository,
} from "./install-target.ts";

export interface InstallFlags {
  readonly list?: boolean;
  readonly json?: boolean;
  readonly live?: boolean;
  readonly project: boolean;
  readonly yes: boolean;
}

/** Runs `sallyport install AGENT` and `sallyport install --list [AGENT]`. Resolves to the exit code. */
export async function install(id: string | undefined, flags: InstallFlags, output: Output): Promise<number> {
  const target = await currentInstallTarget(flags.project, flags.live);
  if (flags.list) {
    const listed = await listAgents(target, id === undefined ? reviewedAgents : [reviewedAgentNamed(id)]);
    await output.result(flags.json ? JSON.stringify(listed, null, 2) : listing(listed));
    return 0;
  }
  if (id === undefined) {
    throw new AppError("usage", "No agent specified", { hint: "List the agents: sallyport install --list" });
  }
  return installAgent(reviewedAgentNamed(id), target, flags, output);
}

async function installAgent(
  agent: ReviewedAgent,
  target: InstallTarget,
  flags: InstallFlags,
  output: Output,
): Promise<number> {
  requireProjectSettings(agent, flags);
  requireRepository(flags);
  const { edits, gives, notes, cannotStayLive } = await agent.install();
  if (target.live && cannotStayLive !== undefined)
    throw new AppError("usage", `${agent.name} cannot use live plan reviews: ${cannotStayLive}`, {
      hint: `Install one-shot plan reviews: sallyport install ${agent.id}${flags.project ? " --project" : ""}`,
    });
  const receipts = openReceipts(agent.id, "review");
  const changes = await changesToInstall(edits(target), receipts);
  const files = changes.map(({ path }) => path);
  if (changes.length === 0) {
    output.note(`${agent.name} is already set up. No changes made.`);
    if (flags.json) await output.result(JSON.stringify({ agent: agent.id, files }));
    return 0;
  }
  const unasked = `${target.command} install ${agent.id}${flags.live ? " --live" : ""}${flags.project ? " --project" : ""} --yes`;
  const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
  if (exitCode !== undefined) return exitCode;
  output.note(`Installed for ${agent.name}: ${gives}.`);
  for (const note of notes) output.note(note);
  if (!(await isOnPath(agent.program, target.environment["PATH"] ?? "")))
    output.note(`${agent.name} is not on the PATH (no program "${agent.program}").`);
  if (isTemporary(target.argv)) {
    output.note(
      `This copy of Sallyport is in a package manager's cache. ${agent.name} cannot start it after that cache is cleared. ` +
        "Install Sallyport permanently, then run this command again.",
    );
  }
  if (flags.json) await output.result(JSON.stringify({ agent: agent.id, files }));
  return 0;
}

interface ListedAgent {
  readonly id: string;
  readonly name: string;
  readonly state: InstallState;
  readonly live: boolean;
  readonly gives: string;
}

async function listAgents(
  target: InstallTarget,
  listed: readonly ReviewedAgent[],
): Promise<readonly ListedAgent[]> {
  return Promise.all(
    listed.map(async ({ id, name, install, isUserOnly }) => {
      const { edits, gives } = await install();
      const isElsewhere = target.project !== undefined && isUserOnly;
      const state = isElsewhere ? NOT_INSTALLED : await readEitherState(edits, target);
      return { id, name, ...state, gives };
    }),
  );
}

const NOT_INSTALLED = { state: "absent", live: false } as const;

function listing(listed: readonly ListedAgent[]): string {
  const rows = listed.map(({ id, name, state, live, gives }) => [
    id,
    name,
    live ? `${STATES[state]}, live` : STATES[state],
    gives,
  ]);
  return table(["AGENT", "NAME", "INSTALLED", "GIVES"], rows);
}

const STATES: Record<InstallState, string> = {
  installed: "yes",
  outdated: "yes, outdated",
  absent: "no",
  unreadable: "unknown",
};

/** Runs `sallyport uninstall AGENT`. Resolves to the exit code. */
export async function uninstall(
  id: string | undefined,
  flags: Pick<InstallFlags, "project" | "yes" | "json">,
  output: Output,
): Promise<number> {
  if (id === undefined)
    throw new AppError("usage", "No agent specified", {
      hint: "Name one, or remove all: sallyport uninstall --all",
    });
  const agent = reviewedAgentNamed(id);
  requireProjectSettings(agent, flags);
  const target = await currentInstallTarget(flags.project);
  const receipts = openReceipts(agent.id, "review");
  const edits = (await agent.install()).edits(target);
  const changes = await changesToUninstall(edits, receipts);
  const unasked = `${target.command} uninstall ${agent.id}${flags.project ? " --project" : ""} --yes`;
  if (changes.length === 0) output.note(`${agent.name} has no files from Sallyport. No changes made.`);
  else {
    const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
    if (exitCode !== undefined) return exitCode;
    output.note(`Removed from ${agent.name}.`);
  }
  await forgetReceipts(await Promise.all(edits.map((edit) => resolveTarget(edit.path))), receipts);
  const files = changes.map(({ path }) => path);
  if (flags.json) await output.result(JSON.stringify({ agent: agent.id, files }));
  return 0;
}

import type { Agent, Place } from "../../agents/agent.ts";
import { changesToInstall } from "../../agents/file-edits/changes.ts";
import { type InstallState, stateOf } from "../../agents/file-edits/install-state.ts";
import { isTemporary } from "../../agents/own-command.ts";
import { agentNamed, agents } from "../../agents/registry.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";
import { table } from "../table.ts";
import { carryOut } from "./carry-out.ts";
import { isOnPath } from "./doctor/programs.ts";
import { currentPlace, receiptsOf } from "./install-target.ts";

export interface InstallFlags {
  readonly list?: boolean;
  readonly project: boolean;
  readonly yes: boolean;
}

/** `sallyport install AGENT` and `sallyport install --list [AGENT]`; resolves to the exit code. */
export async function install(id: string | undefined, flags: InstallFlags, output: Output): Promise<number> {
  const place = await currentPlace(flags.project);
  if (flags.list) {
    await output.result(await listing(place, id === undefined ? agents : [agentNamed(id)]));
    return 0;
  }
  if (id === undefined) {
    throw new AppError("usage", "Which agent?", { hint: "sallyport install --list names them." });
  }
  return installAgent(agentNamed(id), place, flags, output);
}

async function installAgent(
  agent: Agent,
  place: Place,
  flags: InstallFlags,
  output: Output,
): Promise<number> {
  const receipts = receiptsOf(agent.id, "review");
  const changes = await changesToInstall(agent.edits(place), receipts);
  if (changes.length === 0) {
    output.note(`${agent.name} has it already; nothing to change.`);
    return 0;
  }
  const unasked = `${place.command} install ${agent.id}${flags.project ? " --project" : ""} --yes`;
  const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
  if (exitCode !== undefined) return exitCode;
  output.note(`Installed for ${agent.name}: ${agent.gives}.`);
  for (const note of agent.notes) output.note(note);
  if (!(await isOnPath(agent.program, place.environment["PATH"] ?? "")))
    output.note(`${agent.name} is not on the PATH of this machine (no program "${agent.program}").`);
  if (isTemporary(place.words)) {
    output.note(
      `This copy of Sallyport lies in a package manager's cache, and ${agent.name} cannot start it once that cache is cleared. ` +
        "Install Sallyport permanently, then run this command again.",
    );
  }
  return 0;
}

async function listing(place: Place, listed: readonly Agent[]): Promise<string> {
  const rows = await Promise.all(
    listed.map(async (agent) => [
      agent.id,
      agent.name,
      STATES[await stateOf(agent.edits(place))],
      agent.gives,
    ]),
  );
  return table(["AGENT", "NAME", "INSTALLED", "GIVES"], rows);
}

const STATES: Record<InstallState, string> = {
  installed: "yes",
  outdated: "yes, outdated",
  absent: "no",
  unreadable: "cannot tell",
};

import { changesToUninstall, targetOf } from "../../agents/file-edits/changes.ts";
import { forgetReceipts } from "../../agents/file-edits/write-changes.ts";
import { agentNamed } from "../../agents/registry.ts";
import type { Output } from "../output.ts";
import { carryOut } from "./carry-out.ts";
import type { InstallFlags } from "./install.ts";
import { currentPlace, receiptsOf } from "./install-target.ts";

/** `sallyport uninstall AGENT`; resolves to the exit code. */
export async function uninstall(id: string, flags: InstallFlags, output: Output): Promise<number> {
  const agent = agentNamed(id);
  const place = await currentPlace(flags.project);
  const receipts = receiptsOf(agent.id, "review");
  const edits = agent.edits(place);
  const changes = await changesToUninstall(edits, receipts);
  const unasked = `${place.command} uninstall ${agent.id}${flags.project ? " --project" : ""} --yes`;
  if (changes.length === 0) output.note(`${agent.name} has nothing of ours; nothing to change.`);
  else {
    const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
    if (exitCode !== undefined) return exitCode;
    output.note(`Removed from ${agent.name}.`);
  }
  await forgetReceipts(await Promise.all(edits.map((edit) => targetOf(edit.path))), receipts);
  return 0;
}

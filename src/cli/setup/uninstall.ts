import { changesToUninstall, targetOf } from "../../agents/file-edits/changes.ts";
import { forgetReceipts } from "../../agents/file-edits/write-changes.ts";
import { reviewedAgentNamed } from "../../agents/registry.ts";
import type { Output } from "../output.ts";
import { carryOut } from "./carry-out.ts";
import type { InstallFlags } from "./install.ts";
import { currentInstallTarget, receiptsOf } from "./install-target.ts";

/** Runs `sallyport uninstall AGENT`. Resolves to the exit code. */
export async function uninstall(id: string, flags: InstallFlags, output: Output): Promise<number> {
  const agent = reviewedAgentNamed(id);
  const target = await currentInstallTarget(flags.project);
  const receipts = receiptsOf(agent.id, "review");
  const edits = (await agent.install()).edits(target);
  const changes = await changesToUninstall(edits, receipts);
  const unasked = `${target.command} uninstall ${agent.id}${flags.project ? " --project" : ""} --yes`;
  if (changes.length === 0) output.note(`${agent.name} has nothing of ours; nothing to change.`);
  else {
    const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes }, output);
    if (exitCode !== undefined) return exitCode;
    output.note(`Removed from ${agent.name}.`);
  }
  await forgetReceipts(await Promise.all(edits.map((edit) => targetOf(edit.path))), receipts);
  return 0;
}

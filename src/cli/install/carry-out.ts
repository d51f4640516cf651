import type { Change } from "../../agents/changes/changes.ts";
import type { ReceiptStore } from "../../agents/changes/receipts.ts";
import { showChanges } from "../../agents/changes/show-changes.ts";
import { writeChanges } from "../../agents/changes/write-changes.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";
import { ask } from "./ask.ts";

export interface Undertaking {
  readonly changes: readonly Change[];
  readonly receipts: ReceiptStore;
  /** The command line that does the same without asking. */
  readonly unasked: string;
  readonly yes: boolean;
  /** Masked wherever the diff shows them. */
  readonly secrets?: readonly string[];
}

/**
 * Shows the diff, asks unless `yes`, and writes. Resolves to whether it was written.
 * Throws `usage` when there is nobody to ask.
 */
export async function carryOut(undertaking: Undertaking, output: Output): Promise<boolean> {
  output.note(showChanges(undertaking.changes, undertaking.secrets));
  if (!undertaking.yes && !(await isWanted(undertaking.unasked))) {
    output.note("Nothing was changed.");
    return false;
  }
  await writeChanges(undertaking.changes, undertaking.receipts);
  return true;
}

async function isWanted(unasked: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new AppError("usage", "Nothing was changed, for there is nobody to ask", {
      hint: `To write the changes above, run: ${unasked}`,
    });
  }
  return ask("Write these changes?", process.stdin, process.stderr);
}

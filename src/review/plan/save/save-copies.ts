import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../errors.ts";
import { reasonOf } from "../../../files/durable-file.ts";
import type { PlanSave, VaultSave } from "../../api-types.ts";
import type { PlanDecision } from "../../decision.ts";
import type { SaveReport } from "../../take-decision.ts";
import type { PlanReview } from "../plan-review.ts";
import { expandFolder } from "./save-folder.ts";
import { savePlan } from "./save-plan.ts";
import { saveToNoteApp } from "./save-to-note-app.ts";
import { saveToVault } from "./save-to-vault.ts";

/** Where a decided plan goes besides the record; paths are checked already. */
export interface Copies {
  /** Undefined where the plan is not to be saved. */
  readonly folder?: { readonly path: string; readonly isPrivate: boolean };
  readonly vault?: VaultSave;
  readonly notePlan?: string;
  /** What could not be meant of the remembered choice, in words for the person. */
  readonly warnings?: readonly string[];
}

export interface WantedCopies {
  readonly planSave?: PlanSave;
  readonly vaultapp?: VaultSave;
  readonly noteapp?: { readonly plan: string };
}

/** How long a copy may take; a network drive that hangs must not hold the decision up. */
const TIMEOUT_MS = 5_000;

/**
 * The copies a body wants, the remembered choice filling in what it leaves open. Throws `validation` for paths of the
 * body that cannot be meant; a remembered one, which nobody can change now, gives way to our own folder.
 */
export function plannedCopies(
  wanted: WantedCopies,
  remembered: PlanSave,
  review: Pick<PlanReview, "plansFolder" | "vaultFolders" | "missing">,
): Copies {
  const { home } = review.vaultFolders;
  const { enabled } = { ...remembered, ...wanted.planSave };
  const { custom, warnings } = customFolder(wanted.planSave?.customPath, remembered.customPath, home);
  const folder = { path: custom ?? review.plansFolder, isPrivate: custom === undefined };
  const { vaultapp, noteapp } = wanted;
  const vaultPath = vaultapp && expandFolder(vaultapp.vaultPath, home, "vaultapp.vaultPath");
  return {
    // Where the agent sent no plan there is nothing to keep.
    ...(enabled === false || review.missing !== undefined ? {} : { folder }),
    ...(vaultapp && vaultPath ? { vault: { ...vaultapp, vaultPath } } : {}),
    ...(noteapp ? { notePlan: noteapp.plan } : {}),
    warnings: enabled === false ? [] : warnings,
  };
}

function customFolder(
  wanted: string | undefined,
  remembered: string | undefined,
  home: string,
): { readonly custom?: string; readonly warnings: readonly string[] } {
  if (wanted !== undefined)
    return wanted === ""
      ? { warnings: [] }
      : { custom: expandFolder(wanted, home, "planSave.customPath"), warnings: [] };
  if (!remembered) return { warnings: [] };
  try {
    return { custom: expandFolder(remembered, home, "The remembered folder"), warnings: [] };
  } catch (error) {
    return { warnings: [`The plan was saved in the plans folder: ${messageOf(error)}`] };
  }
}

/** Makes all copies at once. Each failure becomes a warning: the decision itself never waits for one. */
export async function saveCopies(
  copies: Copies,
  decision: PlanDecision,
  { plan }: Pick<PlanReview, "plan">,
): Promise<SaveReport> {
  const warnings = [...(copies.warnings ?? [])];
  const attempt = async <Result>(what: string, task: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await Promise.race([task(), tooLate()]);
    } catch (error) {
      warnings.push(`${what}: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const { folder, vault, notePlan } = copies;
  const [savedPath] = await Promise.all([
    folder &&
      attempt(`The plan was not saved in ${folder.path}`, () =>
        savePlan({ plan, decision, folder: folder.path, isPrivate: folder.isPrivate }),
      ),
    vault && attempt(`The plan was not saved to the vault ${vault.vaultPath}`, () => saveToVault(vault)),
    notePlan !== undefined &&
      attempt("The plan was not saved to the note app", () => saveToNoteApp(notePlan)),
  ]);
  return savedPath === undefined ? { warnings } : { savedPath, warnings };
}

async function tooLate(): Promise<never> {
  await delay(TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`no answer within ${TIMEOUT_MS / 1_000} s`);
}

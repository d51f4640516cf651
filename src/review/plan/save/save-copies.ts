import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { getErrorMessage } from "../../../errors.ts";
import { getReason } from "../../../files/durable-file.ts";
import type { PlanSave, VaultSave } from "../../api-types.ts";
import type { PlanDecision } from "../../decision.ts";
import type { SaveReport } from "../../take-decision.ts";
import type { PlanReview } from "../plan-review.ts";
import { planTitle } from "../plan-title.ts";
import { expandFolder } from "./save-folder.ts";
import { savePlan } from "./save-plan.ts";
import { saveToVault } from "./save-to-vault.ts";

/** The copies of a decided plan that are made in addition to the record, with validated paths. */
export interface Copies {
  /** Undefined if the plan is not to be saved. */
  readonly folder?: { readonly path: string; readonly isPrivate: boolean };
  readonly vault?: VaultSave;
  readonly notePlan?: string;
  /** Problems with the remembered folder, as messages for the person. */
  readonly warnings?: readonly string[];
}

export interface WantedCopies {
  readonly planSave?: PlanSave;
  readonly vaultapp?: VaultSave;
  readonly noteapp?: { readonly plan: string };
}

/** Time limit of a copy in milliseconds; a network drive that hangs must not block the decision. */
const TIMEOUT_MS = 5_000;

/**
 * Returns the copies that a body requests; remembered settings replace absent members of `planSave`. Throws
 * `validation` for an invalid path in the body. An invalid remembered path is replaced by the default folder with a
 * warning.
 */
export function plannedCopies(
  wanted: WantedCopies,
  remembered: PlanSave,
  review: Pick<PlanReview, "plansFolder" | "vaultFolders" | "missing">,
): Copies {
  const { home } = review.vaultFolders;
  const { enabled } = { ...remembered, ...wanted.planSave };
  const { custom, warnings } = customFolder(wanted.planSave?.customPath, remembered.customPath, home);
  // There is nothing to save if the agent sent no plan.
  const isSaved = enabled !== false && review.missing === undefined;
  const folder = { path: custom ?? review.plansFolder, isPrivate: custom === undefined };
  const { vaultapp, noteapp } = wanted;
  const vaultPath = vaultapp && expandFolder(vaultapp.vaultPath, home, "vaultapp.vaultPath");
  return {
    ...(isSaved && { folder }),
    ...(vaultapp && vaultPath ? { vault: { ...vaultapp, vaultPath } } : {}),
    ...(noteapp ? { notePlan: noteapp.plan } : {}),
    warnings: isSaved ? warnings : [],
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
    const why = getErrorMessage(error);
    return {
      warnings: [`The plans folder is used instead: ${why}. Choose another folder in the save settings.`],
    };
  }
}

/** Makes all copies concurrently. A failure or timeout becomes a warning and never stops the decision. */
export async function saveCopies(
  copies: Copies,
  decision: PlanDecision,
  { plan }: Pick<PlanReview, "plan">,
): Promise<SaveReport> {
  const warnings = [...(copies.warnings ?? [])];
  const attempt = async <Result>(
    what: string,
    fix: string,
    task: () => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await Promise.race([task(), rejectAfterTimeout()]);
    } catch (error) {
      warnings.push(`${what}: ${getReason(error)}. ${fix} in the save settings.`);
      return undefined;
    }
  };
  const { folder, vault, notePlan } = copies;
  const [savedPath] = await Promise.all([
    folder &&
      attempt(`The plan was not saved in ${folder.path}`, "Choose another folder", () =>
        savePlan({ plan, decision, folder: folder.path, isPrivate: folder.isPrivate }),
      ),
    vault &&
      attempt(`The plan was not saved to the vault ${vault.vaultPath}`, "Choose another vault", () =>
        saveToVault(vault),
      ),
    notePlan !== undefined &&
      attempt("The plan was not sent to Bear", "Turn Bear off", () => saveToNoteApp(notePlan)),
  ]);
  return savedPath === undefined ? { warnings } : { savedPath, warnings };
}

async function rejectAfterTimeout(): Promise<never> {
  await delay(TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`no response within ${TIMEOUT_MS / 1_000} s`);
}

/**
 * Returns the URL that makes Bear create a note. Source:
 * https://bear.app/faq/x-callback-url-scheme-documentation/#create
 */
export function noteAddress(plan: string): string {
  const title = encodeURIComponent(planTitle(plan));
  return `bear://x-callback-url/create?title=${title}&text=${encodeURIComponent(plan)}&tags=plan&open_note=no`;
}

/** Sends the plan to Bear. Rejects on systems other than macOS, and if Bear cannot be opened. */
export async function saveToNoteApp(
  plan: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== "darwin") throw new Error("it is available on macOS only");
  // Runs without a shell, so that the plan's text cannot become a command.
  const opener = spawn("open", ["-g", noteAddress(plan)], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => {
    opener.once("error", reject);
    opener.once("exit", resolve);
  });
  if (code !== 0) throw new Error("it cannot be opened; check that it is installed");
}

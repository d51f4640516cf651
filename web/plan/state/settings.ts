import type { ApproveBody, PlanSave, ReviewSettings } from "../../../src/review/api-types.ts";
import { saveSettings } from "../../shared/api/settings.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { useReview } from "./review-store.ts";

/** Changes settings on this page and, for all later reviews, on the server. */
export function updateSettings(changes: Partial<ReviewSettings>): void {
  const { plan } = useReview.getState();
  if (!plan) return;
  useReview.setState({ plan: { ...plan, settings: { ...plan.settings, ...changes } } });
  void saveSettings(changes).then((saved) => {
    if (!saved.ok && saved.reason === "refused") showToast(saved.message, { tone: "danger" });
  });
}

/** Returns the save options in the form that the decision routes expect. */
export function toSaveTargets(
  settings: ReviewSettings,
  plan: string,
): Pick<ApproveBody, "vaultapp" | "noteapp"> & { readonly planSave: PlanSave } {
  const { planSave, vaultapp, noteapp } = settings;
  const vault = vaultapp?.enabled && vaultapp.vaultPath !== "" ? vaultapp : undefined;
  return {
    planSave: { enabled: planSave.enabled, ...(planSave.customPath && { customPath: planSave.customPath }) },
    ...(vault && {
      vaultapp: {
        vaultPath: vault.vaultPath,
        plan,
        ...(vault.folder && { folder: vault.folder }),
        ...(vault.tags && vault.tags.length > 0 && { tags: vault.tags }),
      },
    }),
    ...(noteapp?.enabled && { noteapp: { plan } }),
  };
}

/** Describes in one line where copies of the plan are saved. */
export function describeSaves({ planSave, vaultapp, noteapp }: ReviewSettings): string {
  const destinations = [
    planSave.enabled && (planSave.customPath || "the plans folder"),
    vaultapp?.enabled && vaultapp.vaultPath !== "" && `Obsidian (${baseName(vaultapp.vaultPath)})`,
    noteapp?.enabled && "Bear",
  ].filter((name) => typeof name === "string" && name !== "");
  return destinations.length === 0 ? "No copy is kept" : `A copy goes to ${destinations.join(", ")}`;
}

/** Returns the last segment of a path of any operating system. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

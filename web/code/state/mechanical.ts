import { create } from "zustand";
import type { DiffMechanical, MechanicalFile, MechanicalKind } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { announce } from "../../shared/components/toast.tsx";
import { useSession } from "./session.ts";
import { useView } from "./view.ts";

interface MechanicalState {
  /** Files with only mechanical changes, by path in the current diff. */
  readonly files: ReadonlyMap<string, MechanicalFile>;
}

export const useMechanical = create<MechanicalState>(() => ({ files: new Map() }));

/**
 * Loads the mechanical changes now and whenever the diff changes. After a failure, the page shows no
 * mechanical changes.
 */
export function followMechanical(): Promise<void> {
  useSession.subscribe((state, before) => {
    if (state.index !== before.index || state.since !== before.since) void loadMechanical();
  });
  return loadMechanical();
}

async function loadMechanical(): Promise<void> {
  const { index, since, diffQuery } = useSession.getState();
  useMechanical.setState({ files: new Map() });
  if (!index || since !== undefined) return;
  const result = await getJson<DiffMechanical>(`/api/diff/mechanical?${diffQuery}`);
  const now = useSession.getState();
  if (!result.ok || now.index !== index || now.since !== since) return;
  useMechanical.setState({ files: new Map(result.value.files.map((file) => [file.path, file])) });
}

const NAMES: Readonly<Record<Exclude<MechanicalKind, "names">, string>> = {
  formatting: "formatting",
  imports: "imports",
  moved: "moved lines",
  "file-renamed": "renamed file",
  generated: "generated",
};
/** Maximum number of listed names. */
const MAX_NAMES = 2;

/** Describes the mechanical changes of a file, for example `only imports, moved lines`. */
export function describeMechanical({ kinds, renamed = [] }: MechanicalFile): string {
  const names = renamed.slice(0, MAX_NAMES).map(({ from, to }) => `${from} → ${to}`);
  const more = renamed.length > MAX_NAMES ? ` and ${renamed.length - MAX_NAMES} more` : "";
  const parts = kinds.map((kind) => (kind === "names" ? `renamed ${names.join(", ")}${more}` : NAMES[kind]));
  return `only ${parts.join(", ")}`;
}

/** Folds all files that have only mechanical changes, or unfolds them if all of them are folded. */
export function toggleMechanical(): void {
  const { files } = useMechanical.getState();
  if (files.size === 0) {
    announce("No file has only mechanical changes");
    return;
  }
  const { folded } = useView.getState();
  const fold = [...files.keys()].some((path) => folded.get(path) !== true);
  const next = new Map(folded);
  for (const path of files.keys()) next.set(path, fold);
  useView.setState({ folded: next });
  announce(`${files.size} mechanical ${files.size === 1 ? "file" : "files"} ${fold ? "folded" : "unfolded"}`);
}

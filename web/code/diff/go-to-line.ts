import { findLine } from "../../../src/render/diff/patch/parsed-patch.ts";
import { showLinesAround } from "../comments/show-context.ts";
import { setCursor } from "../state/cursor.ts";
import { fileAt } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { setFolded } from "../state/view.ts";
import type { DiffController } from "./controller.ts";

/** Moves to a line of the new side of a file. If the line is between the hunks, shows it first. */
export async function goToNewLine(controller: DiffController, path: string, number: number): Promise<void> {
  const { files, patches } = useSession.getState();
  const file = fileAt(files, path);
  if (!file || !patches) return;
  setFolded(file, false);
  await patches.ensure(file.index);
  const patch = patches.get(file.index);
  if (patch && findLine(patch, "new", number) < 0) await showLinesAround(file, patch, number);
  const line = { path, side: "new", number } as const;
  setCursor(line);
  controller.scrollToLine(line, true);
}

import type { DiffFile } from "../../../src/review/api-types.ts";
import { openAsk } from "../../shared/ask/ask-store.ts";
import { formatLines } from "../core/feedback.ts";
import { getLastLine, getStart, type LineRange } from "../state/cursor.ts";
import { commentOnAll, commentOnFile, commentOnLines } from "./start.ts";

/**
 * Opens the dialog that asks a model about the lines of `range`; without a range, about `file`; without either, about
 * the whole diff.
 */
export function askAbout(range: LineRange | undefined, file: DiffFile | undefined): void {
  if (range) {
    const { path, side } = range;
    const [lineStart, lineEnd] = [getStart(range), getLastLine(range)];
    openAsk({
      title: `${formatLines(lineStart, lineEnd)} of ${path}`,
      anchor: { kind: "lines", path, side, lineStart, lineEnd },
      insert: (text) => void commentOnLines(range, "comment", text),
    });
  } else if (file) {
    const insert = (text: string) => commentOnFile(file, text);
    openAsk({ title: file.path, anchor: { kind: "file", path: file.path }, insert });
  } else openAsk({ title: "the change", anchor: { kind: "review" }, insert: commentOnAll });
}

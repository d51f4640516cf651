import { create } from "zustand";
import type { DiffFile } from "../../../src/review/api-types.ts";

/** The file whose preview is open. */
export const usePreview = create<{ readonly file: DiffFile | undefined }>(() => ({ file: undefined }));

const MARKDOWN = /\.(md|markdown|mdown|mkd)$/i;
const SVG = /\.svg$/i;

/** Returns the kind of preview that a file has; undefined if its text is incomplete or its format has no preview. */
export function previewKind({ path, binary, hunksOnly }: DiffFile): "markdown" | "svg" | undefined {
  if (binary || hunksOnly) return undefined;
  return MARKDOWN.test(path) ? "markdown" : SVG.test(path) ? "svg" : undefined;
}

export function openPreview(file: DiffFile | undefined): void {
  usePreview.setState({ file });
}

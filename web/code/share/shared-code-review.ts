import type { DiffFile, DiffIndex } from "../../../src/review/api-types.ts";
import { extractJson, toRecord, toTexts } from "../../shared/share/saved-page.ts";
import { commentTypes, type LineAnchor, type ReviewComment } from "../core/comment.ts";

/** A diff with its comments, as stored in a saved page. A comments file has no patches. */
export interface SharedCodeReview {
  readonly sallyportCode: 1;
  readonly title: string;
  /** Identifies the diff, so that an import can report that the comments were written on another diff. */
  readonly diffId: string;
  readonly comments: readonly ReviewComment[];
  /** The diff as `toSavedIndex` returns it; only in pages. */
  readonly index?: DiffIndex;
  /** The patch of each file, in the order of the index; only in pages. */
  readonly patches?: readonly string[];
  /** Attached images as data URLs by name; only in pages. */
  readonly images?: Readonly<Record<string, string>>;
}

/** Id of the element of a saved page that contains the review. */
export const CODE_DATA_ELEMENT = "shared-code-review";

/** Parses a saved page or a comments file. Throws with a message to display if the text is invalid. */
export function readSharedCode(text: string): SharedCodeReview {
  try {
    return checked(JSON.parse(extractJson(text, CODE_DATA_ELEMENT)));
  } catch {
    throw new Error(
      "This file is not a shared code review. Use a comments file or a page that Sallyport saved.",
    );
  }
}

/** Validates untrusted data. Of the diff, checks only the shape, because an import does not use it. */
function checked(value: unknown): SharedCodeReview {
  const { sallyportCode, title, diffId, comments, index, patches, images } = toRecord(value);
  if (sallyportCode !== 1 || !Array.isArray(comments)) throw new Error("not a review");
  return {
    sallyportCode: 1,
    title: typeof title === "string" ? title : "Code review",
    diffId: typeof diffId === "string" ? diffId : "",
    comments: comments.flatMap((each) => commentOf(each) ?? []),
    ...(isIndex(index) && isTexts(patches) && { index, patches }),
    images: toTexts(images),
  };
}

function commentOf(value: unknown): ReviewComment | undefined {
  const {
    id,
    type: named,
    path,
    oldPath,
    place: lines,
    text,
    suggestion,
    createdAt,
    diff,
    author,
  } = toRecord(value);
  const type = commentTypes.find((known) => known === named);
  if (typeof id !== "string" || type === undefined || typeof text !== "string") return undefined;
  const anchor = anchorOf(lines);
  if (lines !== undefined && !anchor) return undefined;
  const { type: diffType, label } = toRecord(diff);
  return {
    id,
    type,
    text,
    // A saved page shows these images, and an import leaves them out.
    images: imagesOf(toRecord(value)["images"]),
    createdAt: typeof createdAt === "string" ? createdAt : "",
    diff: {
      type: typeof diffType === "string" ? diffType : "",
      label: typeof label === "string" ? label : "",
    },
    ...(typeof path === "string" && { path }),
    ...(typeof oldPath === "string" && { oldPath }),
    ...(anchor && { place: anchor }),
    ...(typeof suggestion === "string" && anchor && { suggestion }),
    ...(typeof author === "string" && author !== "" && { author: author.slice(0, 80) }),
  };
}

function anchorOf(value: unknown): LineAnchor | undefined {
  const { side, start, end, lines, before, after, cell } = toRecord(value);
  if (side !== "old" && side !== "new") return undefined;
  if (!isLine(start) || !isLine(end) || end < start) return undefined;
  if (!isTexts(lines) || !isTexts(before) || !isTexts(after)) return undefined;
  // The cell is left out, because the position in it is found again by the lines.
  return { side, start, end, lines, before, after, ...(cell !== undefined && { cell: null }) };
}

function imagesOf(value: unknown): ReviewComment["images"] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  return entries.flatMap((each) => {
    const { path, name } = toRecord(each);
    return typeof path === "string" && typeof name === "string" ? [{ path, name }] : [];
  });
}

function isIndex(value: unknown): value is DiffIndex {
  const { files, gitContext, repository } = toRecord(value);
  const isFile = (file: unknown): file is DiffFile => typeof toRecord(file)["path"] === "string";
  return (
    Array.isArray(files) &&
    files.every(isFile) &&
    typeof toRecord(repository)["name"] === "string" &&
    toRecord(gitContext) === gitContext
  );
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

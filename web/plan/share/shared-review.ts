import type { AttachedImage, PlanAnnotation } from "../../../src/review/api-types.ts";
import { extractJson, toRecord, toTexts } from "../../shared/share/saved-page.ts";
import { compress, decompress, TooLargeError } from "./compress.ts";

/** A plan with its annotations, as stored in a link or a file. */
export interface SharedReview {
  readonly sallyport: 1;
  readonly title: string;
  readonly plan: string;
  readonly annotations: readonly PlanAnnotation[];
  /** Images as data URLs: those of the plan by source, attached ones by `path`, such as `attached:1`; only in files. */
  readonly images?: Readonly<Record<string, string>>;
  /** Rendered diagrams as SVG, keyed by source; only in files. */
  readonly diagrams?: Readonly<Record<string, string>>;
}

const FRAGMENT = "#shared=";
/** Id of the element of a saved page that contains the review. */
export const DATA_ELEMENT = "shared-review";

/** Returns a link with the plan and annotations in its fragment, which browsers do not send to servers. */
export async function shareLink(review: SharedReview, base: string): Promise<string> {
  return `${base}/${FRAGMENT}${await compress(JSON.stringify(review))}`;
}

/**
 * Parses a link of `shareLink`, a saved page or a comments file. Throws with a message to display if the text
 * is invalid.
 */
export async function readShared(text: string): Promise<SharedReview> {
  const trimmed = text.trim();
  const at = trimmed.indexOf(FRAGMENT);
  const json =
    at !== -1 && !trimmed.startsWith("<")
      ? await decompressed(trimmed.slice(at + FRAGMENT.length))
      : extractJson(trimmed, DATA_ELEMENT);
  try {
    return checked(JSON.parse(json));
  } catch {
    throw new Error("This is not a shared plan. Use a link, a comments file or a page that Sallyport saved.");
  }
}

async function decompressed(encoded: string): Promise<string> {
  try {
    return await decompress(encoded);
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    throw new Error("The link is damaged or incomplete. Copy the whole link again.");
  }
}

/** Validates untrusted data and keeps only known members. */
function checked(value: unknown): SharedReview {
  const { sallyport, title, plan, annotations } = toRecord(value);
  if (sallyport !== 1 || typeof plan !== "string" || !Array.isArray(annotations))
    throw new Error("not a review");
  const images = toTexts(toRecord(value)["images"]);
  return {
    sallyport: 1,
    title: typeof title === "string" ? title : "Plan",
    plan,
    annotations: annotations.flatMap((entry) => parseAnnotation(entry, images) ?? []),
    images,
    diagrams: toTexts(toRecord(value)["diagrams"]),
  };
}

const TYPES = ["comment", "replace", "delete", "insert", "concern", "label", "general"] as const;

/** Validates an annotation. Keeps only attached images that the file embeds. */
function parseAnnotation(
  value: unknown,
  embedded: Readonly<Record<string, string>>,
): PlanAnnotation | undefined {
  const { id, type: named, text, author, replacement, createdAt, anchor } = toRecord(value);
  const type = TYPES.find((known) => known === named);
  if (typeof id !== "string" || type === undefined || typeof text !== "string") return undefined;
  const parsedAnchor = parseAnchor(anchor);
  if (type !== "general" && !parsedAnchor) return undefined;
  const images = parseImages(toRecord(value)["images"]).filter(({ path }) => Object.hasOwn(embedded, path));
  return {
    id,
    type,
    text,
    createdAt: typeof createdAt === "string" ? createdAt : "",
    ...(typeof author === "string" && author !== "" && { author }),
    ...(typeof replacement === "string" && { replacement }),
    ...(images.length > 0 && { images }),
    ...(parsedAnchor && { anchor: parsedAnchor }),
  };
}

function parseImages(value: unknown): readonly AttachedImage[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  return entries.flatMap((entry) => {
    const { path, name } = toRecord(entry);
    return typeof path === "string" && typeof name === "string" ? [{ path, name }] : [];
  });
}

function parseAnchor(value: unknown): PlanAnnotation["anchor"] {
  const { start, end, startLine, endLine, quote, prefix, suffix, removed } = toRecord(value);
  const numbers = [start, end, startLine, endLine].every(
    (entry) => Number.isSafeInteger(entry) && Number(entry) >= 0,
  );
  if (!numbers || typeof quote !== "string") return undefined;
  return {
    start: Number(start),
    end: Number(end),
    startLine: Number(startLine),
    endLine: Number(endLine),
    quote,
    prefix: typeof prefix === "string" ? prefix : "",
    suffix: typeof suffix === "string" ? suffix : "",
    ...(removed === true && { removed }),
  };
}

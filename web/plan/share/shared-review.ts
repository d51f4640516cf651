import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { compress, decompress } from "./compress.ts";

/** A plan with its annotations, as stored in a link or a file. */
export interface SharedReview {
  readonly sallyport: 1;
  readonly title: string;
  readonly plan: string;
  readonly annotations: readonly PlanAnnotation[];
  /** Images as data URLs by path, and rendered diagrams as SVG by source. Only in files. */
  readonly images?: Readonly<Record<string, string>>;
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
 * Parses a link of `shareLink`, a saved page or a comments file. Throws with a message to display if it is invalid.
 */
export async function readShared(text: string): Promise<SharedReview> {
  const trimmed = text.trim();
  const at = trimmed.indexOf(FRAGMENT);
  const json =
    at !== -1 && !trimmed.startsWith("<")
      ? await decompressed(trimmed.slice(at + FRAGMENT.length))
      : embedded(trimmed);
  try {
    return checked(JSON.parse(json));
  } catch {
    throw new Error("Not a shared plan. Use a link, a comments file or a page that Sallyport saved.");
  }
}

async function decompressed(encoded: string): Promise<string> {
  try {
    return await decompress(encoded);
  } catch {
    throw new Error("The link is damaged or incomplete. Copy the whole link again.");
  }
}

/** Returns the JSON in a saved page, or the text itself. */
function embedded(text: string): string {
  const match = new RegExp(`<script type="application/json" id="${DATA_ELEMENT}">([\\s\\S]*?)</script>`).exec(
    text,
  );
  return match?.[1] ?? text;
}

/** Validates untrusted data and keeps only known members. */
function checked(value: unknown): SharedReview {
  const { sallyport, title, plan, annotations } = record(value);
  if (sallyport !== 1 || typeof plan !== "string" || !Array.isArray(annotations))
    throw new Error("not a review");
  return {
    sallyport: 1,
    title: typeof title === "string" ? title : "Plan",
    plan,
    annotations: annotations.flatMap((entry) => parseAnnotation(entry) ?? []),
    images: texts(record(value)["images"]),
    diagrams: texts(record(value)["diagrams"]),
  };
}

const TYPES = ["comment", "replace", "delete", "insert", "concern", "label", "general"] as const;

function parseAnnotation(value: unknown): PlanAnnotation | undefined {
  const { id, type: named, text, author, replacement, createdAt, anchor } = record(value);
  const type = TYPES.find((known) => known === named);
  if (typeof id !== "string" || type === undefined || typeof text !== "string") return undefined;
  const parsedAnchor = parseAnchor(anchor);
  if (type !== "general" && !parsedAnchor) return undefined;
  return {
    id,
    type,
    text,
    createdAt: typeof createdAt === "string" ? createdAt : "",
    ...(typeof author === "string" && author !== "" && { author }),
    ...(typeof replacement === "string" && { replacement }),
    ...(parsedAnchor && { anchor: parsedAnchor }),
  };
}

function parseAnchor(value: unknown): PlanAnnotation["anchor"] {
  const { start, end, startLine, endLine, quote, prefix, suffix, removed } = record(value);
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

function texts(value: unknown): Record<string, string> {
  const entries = Object.entries(record(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(entries);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

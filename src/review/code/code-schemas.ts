import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { CodeAnnotation, DiffSwitchBody, FeedbackBody } from "../api-types.ts";
import { ONE_PLAIN_ISSUE } from "../body-schemas.ts";

const line = z.number().int().min(0);

export const codeAnnotation = z.object({
  id: z.string(),
  type: z.enum(["comment", "suggestion", "concern"]),
  filePath: z.string(),
  lineStart: line,
  lineEnd: line,
  side: z.enum(["old", "new"]),
  text: z.string().exactOptional(),
  suggestedCode: z.string().exactOptional(),
}) satisfies z.ZodType<CodeAnnotation>;

/** Body of `POST /api/feedback`. */
export const feedbackBody = z.object({
  feedback: z.string().exactOptional(),
  annotations: z.array(codeAnnotation).exactOptional(),
  agentSwitch: z.string().exactOptional(),
  complete: z.boolean().exactOptional(),
  approved: z.boolean().exactOptional(),
  sessionId: z.string().exactOptional(),
}) satisfies z.ZodType<FeedbackBody>;

const MISSING = "Missing diffType";

/** Body of `POST /api/diff/switch`. The specification defines the message for a missing diff type. */
export const diffSwitchBody = z.object(
  { diffType: z.string(MISSING).min(1, MISSING), patch: z.boolean().exactOptional() },
  MISSING,
) satisfies z.ZodType<DiffSwitchBody>;

const flag = z.enum(["0", "1"]).exactOptional();

/** Query of the diff's index and rounds: `w=1` leaves out changes that are only whitespace. */
export const indexQuery = z.object({ w: flag });
/** Query of the routes that read the diff on the page: `id` is the id of that diff. */
export const diffQuery = z.object({ id: z.string().exactOptional(), w: flag });
/** Query of `GET /api/diff/patch`. */
export const patchQuery = diffQuery.extend({ n: z.string().max(20_000) });
/** Query of `GET /api/revisions`. */
export const revisionsQuery = z.object({ text: z.string().max(200).exactOptional() });
/** Query of `GET /api/diff/references`. */
export const referencesQuery = diffQuery.extend({ name: z.string().max(500).exactOptional() });
/** Query of `GET /api/diff/interdiff`. */
export const interdiffQuery = z.object({ round: z.coerce.number().int().min(1).exactOptional() });
/** Query of the routes that return one side of a file. */
export const fileQuery = diffQuery.extend({ path: z.string().min(1), side: z.enum(["old", "new"]) });
/** Query of `GET /api/diff/notebook`. */
export const notebookQuery = diffQuery.extend({ path: z.string().min(1) });
const count = z.coerce.number().int().min(1);
/** Query of `GET /api/notebook/image`: numbers of a cell and of one of its outputs, from 1. */
export const notebookImageQuery = fileQuery.extend({ cell: count, output: count });

/** Parses a query. Throws `validation`, which names the member. */
export function parseQuery<Shape>(schema: z.ZodType<Shape>, query: unknown): Shape {
  const result = schema.safeParse(query, ONE_PLAIN_ISSUE);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("validation", `${issue?.path.join(".")}: ${issue?.message}`);
}

/**
 * Parses numbers such as `3`, `0-49` or `0-9,12`. Returns the numbers below `count` in the given order. Throws
 * `validation` for any other text or if more than `count` numbers would be returned, and `not_found` if none would be.
 */
export function parseNumbers(text: string, count: number): number[] {
  const numbers: number[] = [];
  for (const part of text.split(",")) {
    const [, first = "", last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (first === "" || Number(last) < Number(first)) throw createNumbersError(text);
    for (let number = Number(first); number <= Number(last) && number < count; number += 1)
      numbers.push(number);
    // Checked after each part: repeated ranges could otherwise request millions of numbers.
    if (numbers.length > count) throw createNumbersError(text);
  }
  if (numbers.length === 0) throw new AppError("not_found", `There is no file ${text} in this diff`);
  return numbers;
}

function createNumbersError(text: string): AppError {
  return new AppError("validation", `n: expected numbers such as 0-49,60, got "${text.slice(0, 80)}"`);
}

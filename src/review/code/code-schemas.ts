import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { CodeAnnotation, DiffSwitchBody, FeedbackBody } from "../api-types.ts";
import { ONE_PLAIN_ISSUE } from "../body-schemas.ts";

const line = z.number().int().min(0);

/** A `CodeAnnotation`. */
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

/** Body of `POST /api/diff/switch`. An absent diff type has a message of its own, as specified. */
export const diffSwitchBody = z.object(
  { diffType: z.string(MISSING).min(1, MISSING), patch: z.boolean().exactOptional() },
  MISSING,
) satisfies z.ZodType<DiffSwitchBody>;

const flag = z.enum(["0", "1"]).exactOptional();

/** Query of the diff's index and rounds: `w=1` leaves out changes of white space. */
export const indexQuery = z.object({ w: flag });
/** Query of `GET /api/diff/patch`. */
export const patchQuery = z.object({ n: z.string().max(20_000), id: z.string().exactOptional(), w: flag });
/** Query of the routes that answer with one side of a file. */
export const fileQuery = z.object({ path: z.string().min(1), side: z.enum(["old", "new"]) });

/** A query in the shape a schema wants. Throws `validation`, naming the member. */
export function parseQuery<Shape>(schema: z.ZodType<Shape>, query: unknown): Shape {
  const result = schema.safeParse(query, ONE_PLAIN_ISSUE);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("validation", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** The numbers in `3`, `0-49` or `0-9,12`, each below `count`, in that order. Throws `validation`. */
export function parseNumbers(text: string, count: number): number[] {
  const numbers: number[] = [];
  for (const part of text.split(",")) {
    const [, first = "", last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (first === "" || Number(last) < Number(first)) throw wrongNumbers(text);
    for (let number = Number(first); number <= Number(last) && number < count; number += 1)
      numbers.push(number);
    // Looked at after every part: a text of ranges that name all files again and again asks for millions.
    if (numbers.length > count) throw wrongNumbers(text);
  }
  if (numbers.length === 0) throw new AppError("not_found", `There is no file ${text} in this diff`);
  return numbers;
}

function wrongNumbers(text: string): AppError {
  return new AppError("validation", `n: expected numbers such as 0-49,60, got "${text.slice(0, 80)}"`);
}

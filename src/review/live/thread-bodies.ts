import { z } from "zod";
import type {
  FinishBody,
  NewMessageBody,
  NewThreadBody,
  SendBody,
  StatusBody,
  ThreadChangeBody,
  WaitBody,
} from "../api-types.ts";

const author = z.strictObject({
  kind: z.enum(["person", "agent", "tool"]),
  name: z.string().max(200),
});

/** Long texts are allowed; the body limit of the server bounds them. */
const markdown = z.string().min(1);
const idempotencyKey = z.string().min(1);
const line = z.number().int().min(1);
const offset = z.number().int().min(0);
const round = z.number().int().min(0);

/** The anchor that a client sends. `code`, `cell` and `quote` are ignored: the server sets them. */
export const sentAnchor = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("lines"),
      path: z.string().min(1),
      side: z.enum(["old", "new"]),
      lineStart: line,
      lineEnd: line,
    })
    .refine(({ lineStart, lineEnd }) => lineStart <= lineEnd, "lineEnd must not be below lineStart"),
  z.object({ kind: z.literal("file"), path: z.string().min(1) }),
  z
    .object({ kind: z.literal("plan"), start: offset, end: offset })
    .refine(({ start, end }) => start <= end, "end must not be below start"),
  z.object({ kind: z.literal("review") }),
]);

export type SentAnchor = z.infer<typeof sentAnchor>;

const type = z.enum(["comment", "suggestion", "concern", "question", "finding"]);

/** Body of `POST /api/threads`. */
export const newThreadBody = z.object({
  anchor: sentAnchor,
  type,
  markdown,
  severity: z.enum(["info", "warning", "error"]).nullable().exactOptional(),
  suggestedCode: z.string().exactOptional(),
  author: author.exactOptional(),
  idempotencyKey: idempotencyKey.exactOptional(),
  round: round.exactOptional(),
}) satisfies z.ZodType<NewThreadBody>;

/** Body of `POST /api/threads/{id}/messages`. */
export const newMessageBody = z.object({
  markdown,
  suggestedCode: z.string().exactOptional(),
  author: author.exactOptional(),
  idempotencyKey: idempotencyKey.exactOptional(),
}) satisfies z.ZodType<NewMessageBody>;

/** Body of `PATCH /api/threads/{id}`. Strict: a member that cannot be changed must not be ignored silently. */
export const threadChangeBody = z
  .strictObject({
    state: z.enum(["open", "resolved", "dismissed"]).exactOptional(),
    accepted: z.literal(true).exactOptional(),
    author: author.exactOptional(),
  })
  .refine(
    ({ state, accepted }) => state !== undefined || accepted !== undefined,
    "must change `state` or `accepted`",
  ) satisfies z.ZodType<ThreadChangeBody>;

/** Body of `POST /api/send`. */
export const sendBody = z.object({
  feedback: z.string().exactOptional(),
  idempotencyKey: idempotencyKey.exactOptional(),
}) satisfies z.ZodType<SendBody>;

/** Body of `POST /api/finish`. */
export const finishBody = sendBody.extend({
  approved: z.boolean(),
  round: round.exactOptional(),
}) satisfies z.ZodType<FinishBody>;

/** The longest wait in seconds: a day, below the limit of timers. */
const MAX_WAIT = 86_400;

/** Body of `POST /api/wait`. */
export const waitBody = z.object({
  timeout: z.number().min(0).max(MAX_WAIT).exactOptional(),
  again: z.boolean().exactOptional(),
  hold: z.boolean().exactOptional(),
  doubtful: z.boolean().exactOptional(),
  author: author.exactOptional(),
}) satisfies z.ZodType<WaitBody>;

/** Body of `POST /api/status`. */
export const statusBody = z.object({
  text: z.string().max(500),
  author: author.exactOptional(),
}) satisfies z.ZodType<StatusBody>;

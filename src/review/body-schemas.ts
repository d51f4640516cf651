import { z } from "zod";
import { plainIssue } from "../config/plain-issue.ts";
import { AppError } from "../errors.ts";
import { FIRST_ISSUE } from "../json/first-issue.ts";
import type { ApproveBody, DenyBody, DraftBody, PlanAnnotation, ReviewSettings } from "./api-types.ts";

/** Options of `safeParse` that report only the first issue, with a message in plain English. */
export const ONE_PLAIN_ISSUE = { ...FIRST_ISSUE, error: plainIssue } as const;

/**
 * Parses a request body. A missing body counts as an empty object, because every member of a decision is optional.
 * Throws `validation`, which names the member.
 */
export function parseBody<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const result = schema.safeParse(body === undefined ? {} : body, ONE_PLAIN_ISSUE);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("validation", `${issue?.path.join(".") || "The body"}: ${issue?.message}`);
}

const planSave = z.object({ enabled: z.boolean().exactOptional(), customPath: z.string().exactOptional() });

const anchor = z.object({
  start: z.number(),
  end: z.number(),
  startLine: z.number(),
  endLine: z.number(),
  quote: z.string(),
  prefix: z.string(),
  suffix: z.string(),
  removed: z.literal(true).exactOptional(),
});

const planAnnotation = z.object({
  id: z.string(),
  type: z.enum(["comment", "replace", "delete", "insert", "concern", "label", "general"]),
  anchor: anchor.exactOptional(),
  text: z.string(),
  author: z.string().exactOptional(),
  replacement: z.string().exactOptional(),
  images: z.array(z.object({ path: z.string(), name: z.string() })).exactOptional(),
  createdAt: z.string(),
}) satisfies z.ZodType<PlanAnnotation>;

/** Body of `POST /api/approve`. */
export const approveBody = z.object({
  vaultapp: z
    .object({
      vaultPath: z.string().min(1),
      folder: z.string().exactOptional(),
      tags: z.array(z.string()).exactOptional(),
      plan: z.string(),
    })
    .exactOptional(),
  noteapp: z.object({ plan: z.string() }).exactOptional(),
  feedback: z.string().exactOptional(),
  agentSwitch: z.string().exactOptional(),
  permissionMode: z
    .enum(["default", "acceptEdits", "plan", "bypassPermissions", "auto", "dontAsk"])
    .exactOptional(),
  planSave: planSave.exactOptional(),
  plan: z.string().exactOptional(),
  planId: z.string().exactOptional(),
  annotations: z.array(planAnnotation).exactOptional(),
}) satisfies z.ZodType<ApproveBody>;

/** Body of `POST /api/deny`. */
export const denyBody = z.object({
  feedback: z.string().exactOptional(),
  planSave: planSave.exactOptional(),
  planId: z.string().exactOptional(),
  annotations: z.array(planAnnotation).exactOptional(),
}) satisfies z.ZodType<DenyBody>;

/** Body of `PUT /api/draft`. */
export const draftBody = z.object({
  generation: z.number().int().min(0),
  content: z.unknown(),
  // These ids become part of a file name.
  planId: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/)
    .exactOptional(),
  reviewId: z
    .string()
    .regex(/^code-[0-9a-f]{1,64}$/)
    .exactOptional(),
}) satisfies z.ZodType<DraftBody>;

/** Body of `PUT /api/settings`, and the schema of the stored settings. */
export const settingsBody = z.object({
  theme: z.enum(["system", "light", "dark"]).exactOptional(),
  planSave: z.object({ enabled: z.boolean(), customPath: z.string().exactOptional() }).exactOptional(),
  vaultapp: z
    .object({
      enabled: z.boolean(),
      vaultPath: z.string(),
      folder: z.string().exactOptional(),
      tags: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  noteapp: z.object({ enabled: z.boolean() }).exactOptional(),
  view: z
    .object({
      layout: z.enum(["split", "unified"]).exactOptional(),
      wrap: z.boolean().exactOptional(),
      whitespace: z.boolean().exactOptional(),
      tabWidth: z.literal([2, 4, 8]).exactOptional(),
    })
    .exactOptional(),
}) satisfies z.ZodType<Partial<ReviewSettings>>;

import { z } from "zod";
import { plainIssue } from "../../config/plain-issue.ts";
import { AppError } from "../../errors.ts";
import { FIRST_ISSUE } from "../../json/first-issue.ts";
import { ORIGIN_NAMES, originNamed } from "../origin-names.ts";

const text = z.string();

/** A member that counts as missing where it is of another kind: an event must not become a text for that. */
const member = text.optional().catch(undefined);

/** The members of all agents' hook events that matter here; others come and go with their versions. */
const hookEvent = z.object({
  hook_event_name: member,
  tool_name: member,
  tool_input: z.record(text, z.unknown()).optional().catch(undefined),
  permission_mode: member,
  cwd: member,
  transcript_path: member,
  turn_id: member,
  session_id: member,
  /** Copilot CLI writes its own events in camel case. */
  toolName: member,
  sessionId: member,
  /** Only in its event of a tool that has run. */
  toolResult: z.unknown().optional(),
});

const listedAgent = z
  .object({
    id: text.exactOptional(),
    name: text.exactOptional(),
    description: text.exactOptional(),
    mode: text.exactOptional(),
    hidden: z.boolean().exactOptional(),
  })
  .refine((agent) => agent.id ?? agent.name, "must have an id or a name");

const origin = text.transform((name, context) => {
  const known = originNamed(name);
  if (known) return known;
  context.addIssue(`must be ${ORIGIN_NAMES}, got "${name}"`);
  return z.NEVER;
});

const envelope = z.object({
  plan: text,
  origin: origin.exactOptional(),
  permissionMode: text.exactOptional(),
  agents: z.array(listedAgent).exactOptional(),
  sharingEnabled: z.boolean().exactOptional(),
  cwd: text.exactOptional(),
});

export type HookEvent = z.infer<typeof hookEvent>;
export type Envelope = z.infer<typeof envelope>;
export type ListedAgent = z.infer<typeof listedAgent>;

/** The event, or undefined where the value is none: an event names itself, its tool, or its tool's input. */
export function parseEvent(value: unknown): HookEvent | undefined {
  const result = hookEvent.safeParse(value);
  if (!result.success) return undefined;
  const { hook_event_name: name, tool_input: input, toolName } = result.data;
  return name !== undefined || input !== undefined || toolName !== undefined ? result.data : undefined;
}

/**
 * The envelope, or undefined where the value has no plan at all and so is none. Throws `input` for one with a member
 * of the wrong kind: shown as Markdown it would only puzzle.
 */
export function parseEnvelope(value: unknown): Envelope | undefined {
  if (typeof value !== "object" || value === null || !("plan" in value)) return undefined;
  const result = envelope.safeParse(value, { ...FIRST_ISSUE, error: plainIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("input", `The envelope's ${issue?.path.join(".") || "members"}: ${issue?.message}`, {
    hint: 'Expected {"plan": "…", "origin"?, "permissionMode"?, "agents"?, "sharingEnabled"?, "cwd"?}.',
  });
}

/** A list of agents, as OpenCode's server has it; throws for anything else. */
export function parseAgents(value: unknown): ListedAgent[] {
  return z.array(listedAgent).parse(value);
}

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../files/durable-file.ts";
import type { CallerDoubt } from "../../review/api-types.ts";

/** The file that holds the latest hook call of one agent session. */
export interface SessionClaim {
  readonly path: string;
  /** The content that this process wrote to the file. */
  readonly owner: string;
}

/** The agent session of a hook call. */
export interface AgentSession {
  readonly dataDirectory: string;
  /** The agent's display name. */
  readonly caller: string;
  readonly agentSession: string | undefined;
}

/** The owner that is recorded for a hook call that opens no review. */
type Report = Extract<CallerDoubt, "decided-in-terminal" | "went-on">;

/**
 * Records `owner` as the latest hook call of an agent session. Resolves to undefined if the session is unknown or the
 * file cannot be written.
 */
export async function claimSession(session: AgentSession, owner: string): Promise<SessionClaim | undefined> {
  const path = sessionPath(session);
  if (path === undefined) return undefined;
  try {
    await writeDurably(path, owner);
    return { path, owner };
  } catch {
    return undefined;
  }
}

/**
 * Reports to the open reviews of an agent session that the session has continued without waiting for them.
 * Does not create the file of a session that has had no review. Never rejects.
 */
export async function reportSession(session: AgentSession, report: Report): Promise<void> {
  const path = sessionPath(session);
  if (path !== undefined && existsSync(path)) await claimSession(session, report);
}

/**
 * Returns why the agent may no longer wait for this hook call, judged by later calls of its session;
 * undefined if there are no later calls.
 */
export async function readClaim({ path, owner }: SessionClaim): Promise<CallerDoubt | undefined> {
  const latest = (await readFile(path, "utf8").catch(() => owner)).trim();
  if (latest === owner) return undefined;
  return latest === "decided-in-terminal" || latest === "went-on" ? latest : "asked-again";
}

function sessionPath({ dataDirectory, caller, agentSession }: AgentSession): string | undefined {
  if (!agentSession) return undefined;
  const key = createHash("sha256").update(`${caller}\0${agentSession}`).digest("hex").slice(0, 32);
  return join(dataDirectory, "sessions", `${key}.json`);
}

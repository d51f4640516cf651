import { randomBytes } from "node:crypto";
import { z } from "zod";
import { asObject } from "../../exchange/json.ts";
import type { RpcParams } from "./json-rpc.ts";
import { type ClientFacts, SESSION_REVISIONS } from "./revisions.ts";

/**
 * The content of a session's id: a random value and the facts about the client, so that every worker and replica, and
 * the proxy after a restart, can continue the session. The id grants no access, because the key of each request is
 * checked.
 */
const contentSchema = z.strictObject({
  v: z.enum(SESSION_REVISIONS),
  c: z.record(z.string(), z.unknown()),
  i: z.record(z.string(), z.unknown()),
  r: z.string(),
});

/** Maximum bytes of the facts about the client in an id. */
const MAX_FACTS = 2_000;

export function createSessionId({ version, capabilities, info }: ClientFacts): string {
  const content = { v: version, c: capabilities, i: info, r: randomBytes(12).toString("base64url") };
  return Buffer.from(JSON.stringify(content), "utf8").toString("base64url");
}

/** Returns the facts about the client of a session; undefined if the id is invalid. */
export function parseSessionId(id: string): ClientFacts | undefined {
  if (id.length > MAX_FACTS * 2) return undefined;
  try {
    const { v, c, i } = contentSchema.parse(JSON.parse(Buffer.from(id, "base64url").toString("utf8")));
    return { version: v, capabilities: c, info: i };
  } catch {
    return undefined;
  }
}

/** Returns the facts about a client in `initialize`, shortened to fit an id. */
export function readClientFacts(params: RpcParams | undefined): ClientFacts {
  const { protocolVersion, capabilities, clientInfo } = params ?? {};
  const version = SESSION_REVISIONS.find((known) => known === protocolVersion) ?? SESSION_REVISIONS[0];
  const { name, version: release } = asObject(clientInfo);
  const info = { name: toShortText(name), version: toShortText(release) };
  const whole = asObject(capabilities);
  if (Buffer.byteLength(JSON.stringify(whole)) <= MAX_FACTS / 2)
    return { version, capabilities: whole, info };
  const names = ["roots", "sampling", "elicitation"].filter((each) => whole[each] !== undefined);
  return { version, capabilities: Object.fromEntries(names.map((each) => [each, {}])), info };
}

function toShortText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 100) : "unknown";
}

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import type { PlatformConfig } from "../../../config/proxy/config.ts";
import { asObject, type Json, tryParseJson } from "../../exchange/json.ts";

/** A call in the `messages` dialect, converted from the call of a cloud platform's client. */
export interface MessagesCall {
  readonly path: "/v1/messages" | "/v1/messages/count_tokens";
  readonly body: Json;
  /** Beta features that the client has named in the body. */
  readonly betas: readonly string[];
  /** `anthropic_version` of the body. */
  readonly version: unknown;
}

/** The response to a platform's client. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** Converts the calls to Claude that a cloud platform's clients send. */
export interface CloudClient {
  readonly platform: PlatformConfig["kind"];
  /** Converts a request. `operation` is the last segment of the path. Throws `validation` or `not_found`. */
  readCall(params: Readonly<Record<string, string>>, operation: string, body: Json): MessagesCall;
  /** Converts the platform's name of a model to Anthropic's name. */
  toAnthropicName(model: string): string;
  /** Converts a response in the `messages` dialect to the platform's form. */
  convert(response: IncomingMessage, call: MessagesCall): Promise<ClientResponse>;
}

/** Reads a whole response. `value` is empty if the response is not a JSON object. */
export async function readJson(response: IncomingMessage): Promise<{ text: string; value: Json }> {
  const text = await readText(response);
  return { text, value: asObject(tryParseJson(text)) };
}

/** Returns the names in an array or in a comma-separated string. */
export function listNames(value: unknown): readonly string[] {
  const names = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  const texts = names.filter((name): name is string => typeof name === "string");
  return texts.map((name) => name.trim()).filter((name) => name !== "");
}

/** Request members that `/v1/messages/count_tokens` accepts in addition to the model. */
const COUNTED = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "mcp_servers"];

/** Returns the members of a request that contribute to its token count. */
export function pickCountedMembers(body: Json): Json {
  return Object.fromEntries(COUNTED.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
}

import type { IncomingHttpHeaders } from "node:http";
import { isObject, tryParseJson } from "../exchange/json.ts";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import type { CallFacts } from "./select-targets.ts";
import { getSession } from "./session-affinity.ts";

/**
 * Returns the facts that model rules can test. The body is parsed when a rule first needs it; `beforeParsing` throws
 * if the body must not be parsed.
 */
export function collectCallFacts(
  headers: IncomingHttpHeaders,
  body: Buffer | undefined,
  beforeParsing: () => void = () => {},
): CallFacts {
  return new Facts(headers, body, beforeParsing);
}

/** Returns the facts of a call without headers and body. */
export const NO_FACTS = (): CallFacts => collectCallFacts({}, undefined);

class Facts implements CallFacts {
  private readonly headers: IncomingHttpHeaders;
  private readonly body: Buffer | undefined;
  private readonly beforeParsing: () => void;
  private parsed: { readonly value: unknown } | undefined;

  constructor(headers: IncomingHttpHeaders, body: Buffer | undefined, beforeParsing: () => void) {
    this.headers = headers;
    this.body = body;
    this.beforeParsing = beforeParsing;
  }

  header(name: string): string | undefined {
    const found = this.headers[name];
    return Array.isArray(found) ? found.join(", ") : found;
  }

  requestClass(): string | undefined {
    return this.header("x-claude-code-request-class");
  }

  session(): string | undefined {
    return getSession(this.headers);
  }

  tokens(): number {
    return estimateTokens(this.value());
  }

  hasTools(): boolean {
    const { tools, messages } = Object(this.value()) as { tools?: unknown; messages?: unknown };
    if (Array.isArray(tools) && tools.length > 0) return true;
    // A search in the bytes is much faster than one in the messages of a long conversation.
    return this.body?.includes('"tool_addition"') === true && addTools(messages);
  }

  hasImage(): boolean {
    return hasImage(this.value(), 0);
  }

  private value(): unknown {
    this.beforeParsing();
    this.parsed ??= { value: this.body && tryParseJson(this.body.toString("utf8")) };
    return this.parsed.value;
  }
}

/** Returns whether a system message of a messages client adds a tool (`dialects/messages/tool-changes.ts`). */
function addTools(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  const blocks: unknown[] = messages.flatMap((message) =>
    isObject(message) && message["role"] === "system" ? message["content"] : [],
  );
  return blocks.some((block) => isObject(block) && block["type"] === "tool_addition");
}

/**
 * Returns whether a value contains an image in any dialect: `image_url`, `input_image` or `image` blocks, or an object
 * with the media type of an image.
 */
function hasImage(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > 64) return false;
  if (Array.isArray(value)) return value.some((each) => hasImage(each, depth + 1));
  const { type, mimeType, mime_type } = value as { type?: unknown; mimeType?: unknown; mime_type?: unknown };
  if (type === "image" || type === "image_url" || type === "input_image") return true;
  if (String(mimeType ?? mime_type ?? "").startsWith("image/")) return true;
  return Object.values(value).some((each) => hasImage(each, depth + 1));
}

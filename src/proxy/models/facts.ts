import type { IncomingHttpHeaders } from "node:http";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import type { CallFacts } from "./select.ts";

/** What model rules may ask of a call, each worked out when it is first asked. */
export function factsOf(headers: IncomingHttpHeaders, body: Buffer | undefined): CallFacts {
  let parsed: unknown;
  let known = false;
  const value = (): unknown => {
    if (!known) parsed = parse(body);
    known = true;
    return parsed;
  };
  const header = (name: string) => {
    const found = headers[name];
    return Array.isArray(found) ? found.join(", ") : found;
  };
  return {
    requestClass: () => header("x-claude-code-request-class"),
    header,
    tokens: () => estimateTokens(value()),
    hasTools: () => {
      const { tools } = Object(value()) as { tools?: unknown };
      return Array.isArray(tools) && tools.length > 0;
    },
    hasImage: () => hasImage(value(), 0),
  };
}

function parse(body: Buffer | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Images in any dialect: `image_url`, `input_image`, `image` blocks, inline data of an image type. */
function hasImage(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > 64) return false;
  if (Array.isArray(value)) return value.some((each) => hasImage(each, depth + 1));
  const { type, mimeType, mime_type } = value as { type?: unknown; mimeType?: unknown; mime_type?: unknown };
  if (type === "image" || type === "image_url" || type === "input_image") return true;
  if (String(mimeType ?? mime_type ?? "").startsWith("image/")) return true;
  return Object.values(value).some((each) => hasImage(each, depth + 1));
}

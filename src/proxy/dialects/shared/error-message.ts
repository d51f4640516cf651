import { isObject } from "../../exchange/json.ts";

/**
 * Returns the message of an error body: `{error: {message}}` (vendors), `{error: "…"}` (Ollama), `{message}` and
 * `{msg}` (gateways), `{detail}` (servers built on FastAPI) or `{message: {detail}}` (Mistral). Returns undefined if
 * the body has no message.
 */
export function findErrorMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const error = isObject(body["error"]) ? body["error"] : body;
  const messages = [
    error["message"],
    isObject(error["message"]) ? findErrorMessage(error["message"]) : validationDetails(error["message"]),
    body["error"],
    error["detail"],
    validationDetails(error["detail"]),
    error["msg"],
  ];
  return messages.find((value): value is string => typeof value === "string" && value !== "");
}

/** Formats the validation errors of servers built on FastAPI (vLLM, SGLang): `[{loc: ["body", "n"], msg: "…"}]`. */
function validationDetails(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const problems = detail.filter(isObject).flatMap(({ loc, msg }) => {
    if (typeof msg !== "string") return [];
    return Array.isArray(loc) ? `${loc.join(".")}: ${msg}` : msg;
  });
  return problems.length > 0 ? problems.join("; ") : undefined;
}

import { invalidRequest, invalidResponse } from "../../exchange/dialect-error.ts";
import { isObject, stringifyJson } from "../../exchange/json.ts";
import { introduceSummary, unwrapSummary, wrapSummary } from "../../exchange/signature.ts";

type Members = Readonly<Record<string, unknown>>;

const INSTRUCTIONS = `You compress conversations between a user and an assistant. Write a summary that lets another assistant continue the work without the original messages. Keep: the user's goals and constraints, decisions with their reasons, facts, names, numbers, file paths, commands and code that are still needed, the results of tool calls that matter, what is done, and what is left to do. Write only the summary.`;
const REQUEST = "Summarize the conversation above.";

/**
 * Returns the body of a `POST /v1/responses` that asks the model to summarize the conversation of a compaction request.
 * The conversation is sent as text, because vendors reject tool calls whose tools are not declared. Throws
 * `DialectError` (400) if the model or the conversation is missing.
 */
export function createSummaryRequest(body: unknown): Members {
  const { model, input, previous_response_id, instructions, prompt_cache_key } = isObject(body) ? body : {};
  if (typeof model !== "string" || model === "")
    throw invalidRequest("Missing required parameter: 'model'.", "model");
  const lines = toLines(input);
  if (lines.length === 0 && typeof previous_response_id !== "string")
    throw invalidRequest("Missing required parameter: 'input'.", "input");
  const given = typeof instructions === "string" && instructions !== "";
  const opening = given ? [`The assistant's instructions were:\n${instructions}`] : [];
  return {
    model,
    instructions: INSTRUCTIONS,
    input: [{ type: "message", role: "user", content: [...opening, ...lines, REQUEST].join("\n\n") }],
    ...(typeof previous_response_id === "string" && { previous_response_id }),
    ...(typeof prompt_cache_key === "string" && { prompt_cache_key }),
    store: false,
  };
}

/**
 * Converts the model's response to the response of the compaction request, as JSON text. The member `created_by` of its
 * item marks a summary that the proxy has requested. Throws `DialectError` (502) if the model has written no text.
 */
export function createCompaction(response: unknown): string {
  const { id, created_at, output, usage } = isObject(response) ? response : {};
  const summary = toLines(output, false).join("\n\n");
  if (summary === "") throw invalidResponse("The model wrote no summary of the conversation.");
  const name = String(id ?? "").replace(/^resp_/, "");
  return stringifyJson({
    id: `resp_${name}`,
    object: "response.compaction",
    created_at,
    output: [
      {
        id: `cmp_${name}`,
        type: "compaction",
        encrypted_content: wrapSummary(summary),
        created_by: "sallyport",
      },
    ],
    usage,
  });
}

function toLines(items: unknown, hasRoles = true): string[] {
  if (typeof items === "string") return items === "" ? [] : [`User: ${items}`];
  if (!Array.isArray(items)) return [];
  return items.filter(isObject).flatMap((item) => {
    const text = hasRoles ? toLine(item) : item["type"] === "message" ? textOf(item["content"]) : "";
    return text === "" ? [] : [text];
  });
}

/**
 * Returns a message, tool call, tool result or summary as text; an empty string for any other item, such as reasoning.
 */
function toLine(item: Members): string {
  const type = item["type"] ?? "message";
  switch (type) {
    case "message": {
      const text = textOf(item["content"]);
      return text === "" ? "" : `${capitalize(String(item["role"] ?? "user"))}: ${text}`;
    }
    case "function_call":
    case "custom_tool_call":
      return `Assistant calls ${String(item["name"])}: ${String(item["arguments"] ?? item["input"] ?? "")}`;
    case "function_call_output":
    case "custom_tool_call_output":
      return `Tool returns: ${textOf(item["output"])}`;
    case "compaction": {
      const summary = unwrapSummary(item["encrypted_content"]);
      return summary === undefined ? "" : introduceSummary(summary);
    }
    default:
      return "";
  }
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isObject)
    .map(({ type, text, refusal }) => {
      if (typeof text === "string") return text;
      return typeof refusal === "string" ? refusal : `[${String(type).replace(/^input_/, "")}]`;
    })
    .join("\n");
}

import { getUpstreamProfile } from "../../dialects/index.ts";
import { isObject } from "../../exchange/json.ts";
import { createLossList, type Loss, type LossList } from "../../exchange/loss.ts";
import type { UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest, OutputFormat } from "../../exchange/request.ts";

/**
 * Clears `strict` of tool and response schemas that the upstream would reject as strict, and reports losses. Vendors of
 * the OpenAI family reject a strict schema with open objects, optional properties, or unsupported keywords or formats
 * (https://platform.openai.com/docs/guides/structured-outputs).
 */
export function relaxStrictSchemas(
  request: ExchangeRequest,
  target: UpstreamDialect,
): { readonly request: ExchangeRequest; readonly losses: readonly Loss[] } {
  const list = createLossList();
  if (!getUpstreamProfile(target).restrictsStrictSchemas) return { request, losses: list.losses };
  const tools = request.tools.map((tool) => {
    if (tool.type !== "function" || tool.strict !== true || isStrict(tool.schema, 0)) return tool;
    list.add(
      "strict",
      `\`strict\` of the tool ${tool.name} dropped: its schema does not meet this dialect's rules for strict schemas.`,
    );
    return { ...tool, strict: false };
  });
  const output = relaxOutput(request.output, list);
  return {
    request: list.losses.length === 0 ? request : { ...request, tools, ...output },
    losses: list.losses,
  };
}

function relaxOutput(output: OutputFormat | undefined, list: LossList): { readonly output?: OutputFormat } {
  if (output?.type !== "json-schema" || output.strict !== true || isStrict(output.schema, 0))
    return output === undefined ? {} : { output };
  list.add(
    "json-schema",
    "`strict` of the response's schema dropped: it does not meet this dialect's rules for strict schemas.",
  );
  return { output: { ...output, strict: false } };
}

/** Maximum depth that is checked, in levels. The vendor accepts only ten levels and rejects deeper schemas itself. */
const deepest = 64;

/**
 * The keywords that OpenAI rejects in strict schemas.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
const refused = [
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
];
const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

function isStrict(schema: unknown, depth: number): boolean {
  if (depth > deepest) return true;
  if (Array.isArray(schema)) return schema.every((each) => isStrict(each, depth + 1));
  if (!isObject(schema)) return true;
  const { properties, required, format } = schema;
  if (refused.some((key) => key in schema) || (depth === 0 && "anyOf" in schema)) return false;
  if (typeof format === "string" && !formats.includes(format)) return false;
  const isClosed = schema["type"] !== "object" || schema["additionalProperties"] === false;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const isWhole = names.every((name) => requiredNames.has(name));
  // Other members are not searched, because an `enum` or a `const` may contain any value.
  const inner = [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(isObject(schema["$defs"]) ? Object.values(schema["$defs"]) : []),
    ...(isObject(schema["definitions"]) ? Object.values(schema["definitions"]) : []),
    schema["items"],
    schema["anyOf"],
  ];
  return isClosed && isWhole && inner.every((each) => isStrict(each, depth + 1));
}

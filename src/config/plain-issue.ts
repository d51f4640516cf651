import type { z } from "zod";
import { findClosestValue } from "./suggest.ts";

/**
 * Returns the message of an invalid value in a configuration, a plan envelope or a small request body. This function is
 * an error map of zod: a schema's own messages take precedence, and undefined keeps zod's message.
 */
export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}, not ${describeType(issue.input)}`;
    case "invalid_value":
      return `must be ${joinChoices(issue.values.map((value) => JSON.stringify(value)))}, not ${formatValue(issue.input)}${suggestion(issue.input, issue.values)}`;
    case "too_small":
      if (typeof issue.input !== "number") return "must not be empty";
      return `must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
    case "too_big":
      if (typeof issue.input === "string") return `must have at most ${issue.maximum} characters`;
      if (Array.isArray(issue.input)) return `must have at most ${issue.maximum} entries`;
      return `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "url" ? "must be a URL, such as https://example.com" : undefined;
    case "invalid_key":
      return `this name ${issue.issues[0]?.message ?? "is invalid"}`;
    default:
      return undefined;
  }
}

function suggestion(input: unknown, values: readonly unknown[]): string {
  if (typeof input !== "string") return "";
  const meant = findClosestValue(
    input,
    values.filter((value) => typeof value === "string"),
  );
  return meant === undefined ? "" : `. Did you mean ${JSON.stringify(meant)}?`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list, [ … ]",
  object: "an object, { … }",
  record: "an object, { … }",
};

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a string";
  if (typeof value === "object") return "an object";
  return String(value);
}

/** Returns a value for a message. A long value is omitted, because it could be a misplaced key. */
function formatValue(value: unknown): string {
  if (typeof value !== "string") return describeType(value);
  return value.length < 16 ? JSON.stringify(value) : "the given value";
}

function joinChoices(choices: readonly string[]): string {
  const last = choices.at(-1) ?? "";
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(", ")} or ${last}`;
}

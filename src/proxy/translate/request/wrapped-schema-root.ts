import { getUpstreamProfile } from "../../dialects/index.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { isObject } from "../../exchange/json.ts";
import type { Part, UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/**
 * Wraps a response schema whose root is not an object in an object with one member. Generative-language vendors accept
 * any root; all others require an object
 * (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas). Returns undefined if there is nothing
 * to wrap, or if the additional level would break a reference in the schema.
 */
export function wrapSchemaRoot(
  request: ExchangeRequest,
  target: UpstreamDialect,
): ExchangeRequest | undefined {
  const { output } = request;
  if (getUpstreamProfile(target).acceptsAnySchemaRoot || output?.type !== "json-schema") return undefined;
  const schema = output.schema;
  if (!isObject(schema) || !isNoObject(schema) || externalReference.test(JSON.stringify(schema)))
    return undefined;
  const { $defs, definitions, $schema: _, ...value } = schema;
  const enclosing = {
    type: "object",
    properties: { value },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return { ...request, output: { ...output, schema: enclosing } };
}

/** Matches references that the additional level would break. */
const externalReference = /"\$ref":"(?!#\/(?:\$defs|definitions)\/)/;

function isNoObject({ type, anyOf, oneOf, enum: values }: Readonly<Record<string, unknown>>): boolean {
  if (type !== undefined) return ![type].flat().includes("object");
  return [anyOf, oneOf, values].some(Array.isArray);
}

const opening = /^\s*\{\s*"value"\s*:\s*(?=\S)/;
const closing = /\s*\}?\s*$/;

/** Removes the wrapper around the value in a text part; returns any other part unchanged. */
export function unwrapValue(part: Part): Part {
  if (part.type !== "text" || !opening.test(part.text)) return part;
  return { ...part, text: part.text.replace(opening, "").replace(closing, "") };
}

/**
 * Returns a function that unwraps the value in the events of one stream. The function delays text that may be the end
 * of the object until more text follows.
 */
export function createValueUnwrapper(): (event: ExchangeEvent) => ExchangeEvent {
  const texts = new Map<number, ValueText>();
  return (event) => {
    if (event.type === "part-start" && event.part.type === "text") texts.set(event.index, new ValueText());
    if (event.type === "part-whole") return { ...event, part: unwrapValue(event.part) };
    if (event.type === "part-end" && event.part !== undefined)
      return { ...event, part: unwrapValue(event.part) };
    const text = event.type === "text-delta" ? texts.get(event.index) : undefined;
    return event.type === "text-delta" && text !== undefined
      ? { ...event, text: text.push(event.text) }
      : event;
  };
}

class ValueText {
  private waiting = "";
  private isInside: boolean | undefined;

  push(text: string): string {
    this.waiting += text;
    this.isInside ??= this.findStart();
    if (this.isInside === undefined) return "";
    const value = this.isInside ? this.waiting.replace(closing, "") : this.waiting;
    this.waiting = this.waiting.slice(value.length);
    return value;
  }

  /** Returns whether the text starts with the wrapper; undefined if more text is needed. */
  private findStart(): boolean | undefined {
    if (opening.test(this.waiting)) {
      this.waiting = this.waiting.replace(opening, "");
      return true;
    }
    return '{"value":'.startsWith(this.waiting.replace(/\s+/g, "")) ? undefined : false;
  }
}

import { describe, expect, it } from "vitest";
import type { z } from "zod";
import * as chat from "../../../src/proxy/dialects/chat-completions/schema.ts";
import * as completions from "../../../src/proxy/dialects/completions/schema.ts";
import * as google from "../../../src/proxy/dialects/generative-language/schema.ts";
import * as messages from "../../../src/proxy/dialects/messages/schema.ts";
import * as responses from "../../../src/proxy/dialects/responses/schema.ts";
import { DialectError } from "../../../src/proxy/exchange/dialect-error.ts";
import { codecs } from "../../support/codecs.ts";

/** The members of a zod schema from which a sample value is made. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly in?: z.ZodType;
}

const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition;

/** Returns the smallest value that a schema accepts. */
function sampleOf(schema: z.ZodType): unknown {
  const { type, shape, options, innerType, values, entries, in: input } = definitionOf(schema);
  if (type === "string") return "x";
  if (type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "literal") return values?.[0];
  if (type === "enum") return Object.values(entries ?? {})[0];
  if (type === "array") return [];
  if (type === "union" && options?.[0]) return sampleOf(options[0]);
  if (type === "pipe" && input) return sampleOf(input);
  if (type === "object")
    return Object.fromEntries(
      Object.entries(shape ?? {})
        .filter(([, member]) => !member.safeParse(undefined).success)
        .map(([name, member]) => [name, sampleOf(member)]),
    );
  return innerType ? sampleOf(innerType) : {};
}

interface HostileValue {
  readonly path: string;
  readonly value: unknown;
}

/** Returns one value for each list of a schema, in which that list has invalid elements only. */
function hostileValues(schema: z.ZodType, list: (wrong: unknown) => unknown[], path = ""): HostileValue[] {
  const { type, shape, element, innerType, options, in: input } = definitionOf(schema);
  if (type === "object")
    return Object.entries(shape ?? {}).flatMap(([name, member]) =>
      hostileValues(member, list, `${path}.${name}`).map((found) => ({
        ...found,
        value: { ...(sampleOf(schema) as object), [name]: found.value },
      })),
    );
  if (type === "union")
    return (options ?? []).flatMap((option, index) => hostileValues(option, list, `${path}|${index}`));
  if (type === "array" && element) {
    const wrong = [{}, null, 1, "x"].find((value) => !element.safeParse(value).success);
    const inside = hostileValues(element, list, `${path}[]`);
    return [
      ...(wrong === undefined ? [] : [{ path: `${path}[]`, value: list(wrong) }]),
      ...inside.map((found) => ({ ...found, value: [found.value] })),
    ];
  }
  const inner = innerType ?? input;
  return inner ? hostileValues(inner, list, path) : [];
}

const LENGTH = 100_000;

/** Creates lists that count how many of their elements are read. */
function createWatchedLists() {
  let reads = 0;
  return {
    list: (wrong: unknown): unknown[] =>
      new Proxy(new Array<unknown>(LENGTH).fill(wrong), {
        get(target, name, receiver) {
          if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
          return Reflect.get(target, name, receiver);
        },
      }),
    reads: () => reads,
  };
}

/** Maximum number of reads of a list with invalid elements: each alternative of a union reads the first element. */
const FEW = 10;

/** Returns the maximum for a dialect. The generative-language codec reads each element once, to rename its members. */
const mostReads = (dialect: string) => FEW + (dialect === "generative-language" ? LENGTH : 0);

const REQUESTS = [
  ["chat-completions", chat.requestSchema],
  ["completions", completions.requestSchema],
  ["generative-language", google.requestSchema],
  ["messages", messages.requestSchema],
  ["responses", responses.requestSchema],
] as const;
const RESPONSES = [
  ["chat-completions", chat.responseSchema],
  ["generative-language", google.responseSchema],
  ["messages", messages.responseSchema],
  ["responses", responses.responseSchema],
] as const;

describe("a list of 100,000 invalid elements", () => {
  it.each(REQUESTS)(
    "is validated up to the first element, in every list of a %s request",
    (dialect, schema) => {
      const paths = hostileValues(schema, () => []).map(({ path }) => path);
      expect(paths.length).toBeGreaterThan(0);
      for (const [index, path] of paths.entries()) {
        const watched = createWatchedLists();
        const body = hostileValues(schema, watched.list)[index]?.value;
        expect(() => codecs[dialect].decodeRequest(body, { model: "m" }), path).toThrow(DialectError);
        expect([path, watched.reads() <= mostReads(dialect)]).toEqual([path, true]);
      }
    },
  );

  it.each(RESPONSES)(
    "is validated up to the first element, in every list of a %s response",
    (dialect, schema) => {
      const paths = hostileValues(schema, () => []).map(({ path }) => path);
      expect(paths.length).toBeGreaterThan(0);
      for (const [index, path] of paths.entries()) {
        const watched = createWatchedLists();
        const response = hostileValues(schema, watched.list)[index]?.value;
        expect(() => codecs[dialect].decodeResponse(response), path).toThrow(DialectError);
        expect([path, watched.reads() <= mostReads(dialect)]).toEqual([path, true]);
      }
    },
  );
});

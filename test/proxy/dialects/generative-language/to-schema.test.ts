import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toGenerativeSchema } from "../../../../src/proxy/dialects/generative-language/to-schema.ts";
import { createLossList } from "../../../../src/proxy/exchange/loss.ts";

function convert(schema: unknown) {
  const losses = createLossList();
  return { schema: toGenerativeSchema(schema, losses), losses: losses.losses.map((loss) => loss.code) };
}

describe("33: converting JSON Schema to the generative-language subset", () => {
  it("inlines references together with the keywords next to them", () => {
    const { schema, losses } = convert({
      type: "object",
      $defs: { "a/b": { type: "string", description: "under" } },
      properties: { x: { $ref: "#/$defs/a~1b", description: "over" } },
    });
    expect(schema).toEqual({
      type: "OBJECT",
      properties: { x: { type: "STRING", description: "over" } },
    });
    expect(losses).toEqual([]);
  });

  it("replaces the recursion of a schema with an empty object and reports a loss", () => {
    const { schema, losses } = convert({
      type: "object",
      properties: { value: { type: "string" }, next: { $ref: "#" } },
    });
    expect(schema).toEqual({
      type: "OBJECT",
      properties: {
        value: { type: "STRING" },
        next: {
          type: "OBJECT",
          properties: { value: { type: "STRING" }, next: { type: "OBJECT" } },
        },
      },
    });
    expect(losses).toEqual(["schema-cycle"]);
  });

  it("limits the expansion of references", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level < 30; level += 1) {
      const $ref = `#/$defs/d${level - 1}`;
      $defs[`d${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref }, c: { $ref } } };
    }
    const { schema, losses } = convert({ $defs, $ref: "#/$defs/d29" });
    expect(losses).toContain("schema-depth");
    expect(JSON.stringify(schema).length).toBeLessThan(1_000_000);
  });

  it("reports a reference without a target as a loss", () => {
    expect(convert({ $ref: "https://example.com/x.json" }).losses).toEqual(["schema-ref"]);
  });

  it("merges the members of allOf", () => {
    const { schema } = convert({
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "integer" } }, required: ["b"] },
      ],
    });
    expect(schema).toMatchObject({
      type: "OBJECT",
      properties: { a: { type: "STRING" }, b: { type: "INTEGER" } },
      required: ["b", "a"],
    });
  });

  it.each([
    ["a type list with null", { type: ["string", "null"] }, { type: "STRING", nullable: true }],
    [
      "anyOf with null",
      { anyOf: [{ type: "integer" }, { type: "null" }] },
      { type: "INTEGER", nullable: true },
    ],
    [
      "an enum in a nullable union",
      { anyOf: [{ type: "string", enum: ["c", "f"] }, { type: "null" }], description: "Unit" },
      { type: "STRING", enum: ["c", "f"], description: "Unit", nullable: true },
    ],
    [
      "oneOf",
      { oneOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] },
    ],
    [
      "several types",
      { type: ["string", "number"], description: "Either" },
      { description: "Either", anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
    ],
    ["const", { const: "only" }, { type: "STRING", enum: ["only"] }],
    [
      "an exclusive bound of an integer",
      { type: "integer", exclusiveMinimum: 0 },
      { type: "INTEGER", minimum: 1 },
    ],
    ["a list without items", { type: "array" }, { type: "ARRAY", items: {} }],
    ["an object without a type", { properties: { a: {} } }, { type: "OBJECT", properties: { a: {} } }],
    [
      "required names without a property",
      { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
      { type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["a"] },
    ],
  ])("converts %s without a loss", (_, schema, expected) => {
    expect(convert(schema)).toEqual({ schema: expected, losses: [] });
  });

  it.each([
    [{ type: "integer", enum: [1, 2] }, { type: "INTEGER", description: "One of: 1, 2." }, "schema-enum"],
    [{ type: "string", format: "email" }, { type: "STRING" }, "schema-format"],
    [{ type: "number", exclusiveMaximum: 1 }, { type: "NUMBER", maximum: 1 }, "schema-exclusiveMaximum"],
    [{ type: "object", patternProperties: { "^x": {} } }, { type: "OBJECT" }, "schema-patternProperties"],
    [{ type: "array", items: {}, uniqueItems: true }, { type: "ARRAY", items: {} }, "schema-uniqueItems"],
    [{ type: "object", additionalProperties: false }, { type: "OBJECT" }, "schema-additionalProperties"],
    [false, {}, "schema-false"],
  ])("reports a loss for the schema %j", (schema, expected, code) => {
    expect(convert(schema)).toEqual({ schema: expected, losses: [code] });
  });

  it("keeps the names of properties that are named like keywords", () => {
    const names = ["type", "format", "$ref", "enum", "anyOf", "properties", "items", "nullable"];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const { schema } = convert({ type: "object", properties, required: ["type"] });
    expect(schema).toEqual({
      type: "OBJECT",
      properties: Object.fromEntries(names.map((name) => [name, { type: "STRING" }])),
      required: ["type"],
    });
  });

  it("converts arbitrary schemas without an error to at most 10 MB", () => {
    const schemas = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", maxDepth: 3 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.record(
          {
            type: fc.constantFrom("object", "array", "string", ["string", "null"], "wrong"),
            properties: fc.dictionary(fc.string(), tie("schema"), { maxKeys: 3 }),
            items: tie("schema"),
            anyOf: fc.array(tie("schema"), { maxLength: 3 }),
            allOf: fc.array(tie("schema"), { maxLength: 3 }),
            $ref: fc.constantFrom("#", "#/properties/a", "#/nowhere"),
          },
          { requiredKeys: [] },
        ),
      ),
    })).schema;
    fc.assert(fc.property(schemas, (schema) => JSON.stringify(convert(schema).schema).length < 10_000_000));
  });
});

import { describe, expect, it } from "vitest";
import { createSample } from "../../../src/proxy/pipeline/sample-value.ts";

describe("a sample of a JSON Schema", () => {
  it.each([
    ["a constant", { const: 7 }, 7],
    ["a default", { type: "string", default: "x" }, "x"],
    ["the first listed value", { enum: ["<think>", "b"] }, "<think>"],
    ["the first alternative", { anyOf: [{ type: "null" }, { type: "string" }] }, null],
    ["a format", { type: "string", format: "date" }, "2026-01-01"],
    ["a minimal length", { type: "string", minLength: 9 }, "examplexx"],
    ["a maximal length", { type: "string", maxLength: 2 }, "ex"],
    ["a range", { type: "integer", minimum: 18, maximum: 99 }, 18],
    ["an exclusive minimum", { type: "integer", exclusiveMinimum: 5 }, 6],
    ["a maximum below zero", { type: "number", maximum: -2 }, -2],
    ["a multiple", { type: "integer", multipleOf: 5, minimum: 12 }, 15],
    ["a list", { type: "array", items: { type: "boolean" }, minItems: 2 }, [true, true]],
    ["a tuple", { type: "array", prefixItems: [{ const: 1 }, { const: 2 }] }, [1, 2]],
    ["a list of types", { type: ["string", "null"] }, "example"],
    [
      "references and allOf",
      {
        $defs: { name: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
        allOf: [{ $ref: "#/$defs/name" }, { properties: { age: { type: "integer" } }, required: ["age"] }],
      },
      { name: "example", age: 1 },
    ],
  ])("fits %s", (_, schema, expected) => {
    expect(createSample(schema)).toEqual(expected);
  });

  it("ends for a schema that refers to itself", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
    expect(JSON.stringify(createSample(schema))).toContain('{"next":');
  });
});

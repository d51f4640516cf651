import { describe, expect, it } from "vitest";
import { findTool } from "../../../src/proxy/exchange/find-tool.ts";
import type { Tool } from "../../../src/proxy/exchange/request.ts";

describe("findTool", () => {
  it("returns the first tool of the type and name", () => {
    const tools: Tool[] = [
      { type: "hosted", tool: "other", dialect: "responses", raw: { name: "one" } },
      { type: "custom", name: "one" },
      { type: "function", name: "one", description: "first" },
      { type: "function", name: "one", description: "second" },
    ];
    expect(findTool(tools, "function", "one")).toEqual({
      type: "function",
      name: "one",
      description: "first",
    });
    expect(findTool(tools, "custom", "one")).toEqual({ type: "custom", name: "one" });
    expect(findTool(tools, "custom", "two")).toBeUndefined();
  });

  it("reads each tool once for any number of calls", () => {
    let reads = 0;
    const tools = Array.from(
      { length: 1000 },
      (_, index): Tool => ({
        type: "function",
        get name() {
          reads += 1;
          return `tool-${index}`;
        },
      }),
    );
    for (let index = 0; index < 1000; index += 1)
      expect(findTool(tools, "function", `tool-${index}`)).toBe(tools[index]);
    expect(reads).toBe(1000);
  });
});

import { describe, expect, it } from "vitest";
import type { ExchangeEvent } from "../../../../src/proxy/exchange/event.ts";
import type { ExchangeRequest } from "../../../../src/proxy/exchange/request.ts";
import { finishSteps } from "../../../../src/proxy/exchange/steps.ts";
import { prepareRequest } from "../../../../src/proxy/translate/request/prepare-request.ts";
import { everything, request } from "../../../support/exchange.ts";

/** Returns the parts that the events of a call contain after the changes of the request have been undone. */
function restoredParts(asked: Partial<ExchangeRequest>, capabilities: Partial<typeof everything>) {
  const target = { dialect: "responses", model: "m" } as const;
  const prepared = finishSteps(prepareRequest(request(asked), target, { ...everything, ...capabilities }));
  const [tool] = prepared.request.tools;
  const name = tool !== undefined && "name" in tool ? tool.name : "";
  const open = { type: "tool-call", id: "c", name, arguments: "" } as const;
  const whole = { ...open, arguments: "{}" };
  const events: readonly ExchangeEvent[] = [
    { type: "part-start", index: 0, part: open },
    { type: "arguments-delta", index: 0, text: "{}" },
    { type: "part-end", index: 0, part: whole },
    { type: "part-whole", index: 1, part: whole },
  ];
  const restore = prepared.createEventRestorer();
  return events.map(restore).flatMap((event) => ("part" in event && event.part ? [event.part] : []));
}

describe("the events of a stream whose request was changed", () => {
  it("have the client's name of a renamed tool, in the whole part that ends a call as well", () => {
    const tools = [{ type: "function", name: "my.tool", schema: {} }] as const;
    const parts = restoredParts({ tools }, {});
    expect(parts.map((part) => "name" in part && part.name)).toEqual(["my.tool", "my.tool", "my.tool"]);
  });

  it("have a text instead of the call whose arguments are the response, in its last event as well", () => {
    const output = { type: "json-schema", name: "a", schema: { type: "object" } } as const;
    const parts = restoredParts({ output }, { structuredOutput: "none" });
    expect(parts).toEqual([
      { type: "text", text: "" },
      { type: "text", text: "{}" },
      { type: "text", text: "{}" },
    ]);
  });
});

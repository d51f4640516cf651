import { expect, it } from "vitest";
import { codec as chatCompletions } from "../../../../src/proxy/dialects/chat-completions/index.ts";
import { DialectError } from "../../../../src/proxy/exchange/dialect-error.ts";

function rejectionOf(member: Record<string, unknown>) {
  try {
    chatCompletions.decodeRequest({ model: "m", messages: [], ...member }, {});
  } catch (error) {
    if (error instanceof DialectError) return [error.error.param, error.error.message];
    throw error;
  }
  throw new Error("The request was accepted.");
}

it.each([
  [{ tool_choice: "some" }, "tool_choice", "Invalid value for 'tool_choice': \"some\""],
  [{ tool_choice: { type: "function" } }, "tool_choice", "tool_choice does not name a tool"],
  [{ function_call: "some" }, "function_call", "Invalid value for 'function_call': \"some\""],
  [
    { response_format: { type: "xml" } },
    "response_format",
    "Invalid value for 'response_format.type': \"xml\"",
  ],
  [
    { response_format: { type: "json_schema" } },
    "response_format",
    "A response_format of type json_schema requires the member json_schema",
  ],
])("a chat-completions request with %j is rejected and the member is named", (member, param, message) => {
  expect(rejectionOf(member)).toEqual([param, message]);
});

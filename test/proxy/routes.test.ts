import { describe, expect, it } from "vitest";
import { routes } from "../../src/proxy/routes.ts";

/** The tables of the specification, copied word for word. */
const SPECIFICATION = `
GET /v1/models
POST /v1/chat/completions
POST /v1/completions
POST /v1/responses
POST /v1/images/generations
POST /v1/images/edits
POST /v1/audio/transcriptions
POST /v1/messages
POST /v1/messages/count_tokens
GET /v1/models/vendorx
GET /v1beta/models
GET /v1beta/models/:model
POST /v1beta/models/:model
POST /v1beta/models/:model/countTokens
ANY /mcp/web_search_prime/mcp
ANY /mcp/web_reader/mcp
ANY /mcp/vendor-mcp-server/mcp
POST /internal/warmup
POST /v1/api/event_logging
POST /v1/api/event_logging/batch
GET /healthz
POST /v1/models/detect
`;

describe("the route table", () => {
  it("contains every route of the specification once", () => {
    const table = routes.map(({ method, path }) => `${method} ${path}`);
    expect(table).toEqual(expect.arrayContaining(SPECIFICATION.trim().split("\n")));
    expect(new Set(table).size).toBe(table.length);
  });
});

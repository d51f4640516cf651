import { expect, it } from "vitest";
import {
  createSessionId,
  parseSessionId,
  readClientFacts,
} from "../../../../src/proxy/mcp/gateway/session-id.ts";

it.each([
  ["ASCII", "x"],
  ["non-ASCII", "漢"],
  ["escaped", "\u0001"],
])(
  "a session id can be parsed, however many %s characters the client's capabilities contain",
  (_, character) => {
    for (const length of [1, 100, 950, 5_000]) {
      const facts = readClientFacts({
        protocolVersion: "2025-06-18",
        capabilities: { sampling: {}, experimental: { note: character.repeat(length) } },
        clientInfo: { name: character.repeat(300), version: "1.0.0" },
      });
      expect(facts).toMatchObject({ version: "2025-06-18", capabilities: { sampling: {} } });
      expect(parseSessionId(createSessionId(facts))).toEqual(facts);
    }
  },
);

import { describe, expect, it } from "vitest";
import { planServer } from "../support/plan-server.ts";

const agents = [
  { id: "build", name: "Build", mode: "primary" },
  { id: "secret", name: "Secret", mode: "primary", hidden: true },
  { id: "helper", name: "Helper", mode: "subagent" },
];

describe("R13 a body with fields that the agent does not accept", () => {
  it.each([
    ["origin_a", { permissionMode: "root" }],
    ["origin_a", { permissionMode: "BypassPermissions" }],
    ["origin_a", { permissionMode: ["bypassPermissions"] }],
    ["origin_a", { permissionMode: null }],
    ["origin_b", { agentSwitch: "secret" }],
    ["origin_b", { agentSwitch: "helper" }],
    ["origin_b", { agentSwitch: "nobody" }],
    ["origin_b", { agentSwitch: { id: "build" } }],
    ["origin_b", { planSave: { enabled: "yes" } }],
    ["origin_b", []],
  ] as const)("%s: %j is refused and decides nothing", async (origin, body) => {
    const { context, post } = await planServer({ origin, agents });
    expect((await post("/api/approve", body)).statusCode).toBe(400);
    expect(context.session.phase).toBe("waiting");
  });

  it.each([
    ["origin_b", { permissionMode: "bypassPermissions" }, "permissionMode"],
    ["origin_a", { agentSwitch: "build" }, "agentSwitch"],
  ] as const)("%s: %j is not for this agent: it is left out, and named", async (origin, body, member) => {
    const { context, post } = await planServer({ origin, agents });
    const response = (await post("/api/approve", body)).json();
    expect(response).toMatchObject({ ok: true, warnings: [expect.stringContaining(member)] });
    expect(JSON.stringify((await context.records.last())?.json)).not.toContain(member);
  });

  it("is rejected if it would change Object.prototype", async () => {
    const { app, context } = await planServer();
    for (const payload of [
      '{"__proto__":{"permissionMode":"bypassPermissions"}}',
      '{"constructor":{"prototype":{"a":1}}}',
    ]) {
      const headers = { host: "localhost", "content-type": "application/json" };
      const { statusCode } = await app.inject({ method: "POST", url: "/api/approve", headers, payload });
      expect(statusCode).toBe(400);
    }
    expect(context.session.phase).toBe("waiting");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

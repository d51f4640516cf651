import { describe, expect, it } from "vitest";
import { followDashboard } from "../../support/dashboard-events.ts";
import { testDatabases } from "../../support/databases.ts";
import { startGatewayProxy } from "../../support/gateway-proxy.ts";

const databases = testDatabases();

describe("the event stream of the dashboard of a proxy with a database", () => {
  it("ends when its key is revoked", async () => {
    const proxy = await startGatewayProxy(await databases.locate("sqlite"));
    const { body } = await proxy.request("POST", "/keys", { name: "alice", role: "admin" });
    const events = await followDashboard(proxy, { "x-api-key": body.secret });
    await events.until(() => true);
    await proxy.request("DELETE", `/keys/${body.key.id}`);
    await events.ended();
    await expect(followDashboard(proxy, { "x-api-key": body.secret })).rejects.toThrow("status 401");
  });

  it("ends when keys become required", async () => {
    const proxy = await startGatewayProxy(await databases.locate("sqlite"), { auth_mode: "auto" });
    const events = await followDashboard(proxy);
    await events.until(({ needsKey }) => !needsKey);
    await proxy.request("POST", "/keys", { name: "alice" });
    await events.ended();
    await expect(followDashboard(proxy)).rejects.toThrow("status 401");
  });
});

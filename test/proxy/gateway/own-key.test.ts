import { expect, it } from "vitest";
import { sha256 } from "../../../src/config/proxy/resolve-keys.ts";
import { testDatabases } from "../../support/databases.ts";
import { startGatewayProxy } from "../../support/gateway-proxy.ts";

const databases = testDatabases();

it("GET /api/me/v1/key allows a key of the configuration in either form to see the current calls of all keys", async () => {
  const text = "sk-in-file-as-text-0123456789";
  const named = "sk-in-file-with-a-name-0123456789";
  const proxy = await startGatewayProxy(await databases.locate("sqlite"), {
    api_keys: [text, { name: "in file", sha256: sha256(named).toString("hex") }],
  });
  const { secret } = (await proxy.request("POST", "/keys", { name: "alice" })).body;
  const keyOf = async (key: string) => {
    const response = await fetch(`${proxy.url}/api/me/v1/key`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await response.json()) as { key: object }).key;
  };
  expect(await keyOf(text)).toMatchObject({ id: null, source: "config", sees: "current" });
  expect(await keyOf(named)).toMatchObject({ id: "config:in file", source: "config", sees: "current" });
  expect(await keyOf(secret)).toMatchObject({ role: "user", sees: "own" });
  expect(await keyOf(proxy.admin)).toMatchObject({ role: "admin", sees: "everything" });
});

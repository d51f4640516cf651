import { afterEach, describe, expect, it, vi } from "vitest";
import { ADMIN_API, createApi } from "../../../web/dashboard/data/api.ts";

afterEach(() => vi.unstubAllGlobals());

/** Returns the error of a request to which the proxy responds with this body. */
async function errorOf(body: object): Promise<unknown> {
  vi.stubGlobal("location", new URL("http://127.0.0.1:8045/"));
  vi.stubGlobal("fetch", async () => Response.json(body, { status: 409 }));
  const api = createApi(ADMIN_API, "sk-sally-x", () => {});
  return api.get("/teams").catch((error: unknown) => error);
}

describe("an error of the dashboard's requests", () => {
  it("contains the suggested fix after the message", async () => {
    const error = { code: "conflict", message: "The team has keys", hint: "Take them out." };
    expect(await errorOf({ error })).toMatchObject({
      status: 409,
      code: "conflict",
      message: "The team has keys. Take them out.",
    });
  });

  it.each([
    [{ error: { code: "conflict", message: "The team has keys" } }, "The team has keys"],
    [{}, "The proxy responded with 409 and no message."],
  ])("is the message alone without a suggested fix: %j", async (body, message) => {
    expect(await errorOf(body)).toMatchObject({ message });
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PNG } from "../support/images.ts";
import { planServer } from "../support/plan-server.ts";

const included = { host: "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
const linked = {
  host: "localhost",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

describe("R3 a resource that another page includes or links to", () => {
  it("is rejected alike, whether it exists or not", async () => {
    const { app, folder } = await planServer();
    await writeFile(join(folder, "a.png"), PNG);
    const responses = new Set<string>();
    for (const url of [
      "/api/plan",
      `/api/image?path=${folder}/a.png`,
      `/api/image?path=${folder}/none.png`,
    ]) {
      const { statusCode, body } = await app.inject({ url, headers: included });
      responses.add(`${statusCode} ${body}`);
    }
    expect([...responses]).toEqual([expect.stringMatching(/^403 /)]);
  });

  it.each([
    "/api/plan",
    "/%61pi/plan",
    "/a%70i/image?path=/etc/hostname",
    "/api/%64raft",
    "http://localhost/api/plan",
  ])("a link to %s opens no data", async (url) => {
    const { app } = await planServer();
    expect((await app.inject({ url, headers: linked })).statusCode).toBe(403);
  });

  it("can be opened through a link if it is the page", async () => {
    const { app } = await planServer();
    expect((await app.inject({ url: "/", headers: linked })).statusCode).toBe(200);
  });

  it("is never shared with other origins, sniffed or framed, nor are errors", async () => {
    const { app } = await planServer();
    for (const headers of [
      included,
      linked,
      { host: "localhost" },
      { host: "localhost", origin: "http://localhost" },
    ]) {
      for (const url of ["/", "/api/plan", "/api/none", "/api/image?path=none"]) {
        const response = await app.inject({ url, headers });
        expect(response.headers).toMatchObject({
          "x-content-type-options": "nosniff",
          "cross-origin-resource-policy": "same-origin",
          "cross-origin-opener-policy": "same-origin",
          "x-frame-options": "DENY",
        });
        expect(Object.keys(response.headers).join()).not.toContain("access-control");
      }
    }
  });
});

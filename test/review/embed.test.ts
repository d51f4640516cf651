import { expect, it } from "vitest";
import { PAGE_TOKEN, planServer } from "../support/plan-server.ts";

const NAVIGATION = {
  host: "localhost",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "iframe",
};

it("only a URL with the page's token may be framed by an editor", async () => {
  const { app } = await planServer();
  const open = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url, headers: NAVIGATION });
    return [statusCode, String(headers["content-security-policy"]).includes("frame-ancestors *")];
  };
  expect(await open(`/?embed=${PAGE_TOKEN}`)).toEqual([200, true]);
  for (const url of ["/", "/?embed=", "/?embed=wrong", `/api/plan?embed=${PAGE_TOKEN}`])
    expect((await open(url))[0], url).toBe(403);
  const { headers } = await app.inject({ url: "/?embed=wrong", headers: { host: "localhost" } });
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
});

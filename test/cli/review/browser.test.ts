import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter } from "node:path";
import { expect, it } from "vitest";
import { chooseOpening, openBrowser } from "../../../src/cli/review/browser.ts";
import { readReviewEnvironment } from "../../../src/config/review/environment.ts";

const openFailing = (program: string): Promise<string> =>
  new Promise((resolve) => {
    void openBrowser({ how: "program", program }, "http://localhost:1", resolve);
  });

it.each([
  ["is not there", "/nowhere/browser", /\/nowhere\/browser ENOENT/],
  ["is not there, with words of its own", "/nowhere/browser --new-window", /\/nowhere\/browser ENOENT/],
  ["would have to lie in a file", `${import.meta.filename}/browser`, /ENOTDIR/],
])("says of a browser that %s that the address is to be opened by hand", async (_what, program, why) => {
  const text = await openFailing(program);
  expect(text).toMatch(why);
  expect(text).toContain("Open the URL yourself");
});

it("replaces %s in a program's arguments by the URL, after the earlier programs were not found", async () => {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const asked = once(server, "request");
  const fetching = `"${process.execPath}" -e "fetch(process.argv[1] + '&' + process.argv[2])" %s last`;
  await openBrowser(
    { how: "program", program: ["/nowhere/browser -x", fetching].join(delimiter) },
    `http://127.0.0.1:${port}/?page`,
    (text) => expect.unreachable(text),
  );
  const [request] = await asked;
  expect(request.url).toBe("/?page&last");
  server.closeAllConnections();
  server.close();
});

it("reports a missing browser, but nothing for `none`", async () => {
  const reported = async (variables: Record<string, string>, open: boolean) => {
    const texts: string[] = [];
    const opening = chooseOpening(readReviewEnvironment(variables, "linux"), open);
    await openBrowser(opening, "http://localhost:1", (text) => void texts.push(text));
    return texts;
  };
  expect(await reported({}, true)).toEqual([
    "No browser opened: no desktop found. Open the URL in any browser.",
  ]);
  expect(await reported({}, false)).toEqual([]);
  expect(await reported({ BROWSER: "none" }, true)).toEqual([]);
  expect(await reported({ SSH_CONNECTION: "1 2 3 4" }, true)).toEqual([]);
});

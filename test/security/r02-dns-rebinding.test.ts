import { connect } from "node:net";
import { expect, it } from "vitest";
import { FOREIGN_HOSTS, letIn, REVIEW_ROUTES } from "../support/foreign-requests.ts";
import { planServer } from "../support/plan-server.ts";

/** The tests with a name that resolves to this machine are in test/e2e/foreign-pages.test.ts. */
it("R2 a foreign Host name that resolves to this machine is rejected", async () => {
  const { app, context } = await planServer();
  const hosts = FOREIGN_HOSTS.map((host) => ({ host }));
  expect(await letIn(app, hosts, [...REVIEW_ROUTES, ["GET", "/"], ["GET", "/assets/a.js"]])).toEqual([]);
  expect(context.session.phase).toBe("waiting");
});

it("R2 a second Host, a foreign absolute URL and a missing Host are rejected", async () => {
  const { app } = await planServer();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const statusOf = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text.replaceAll("\n", "\r\n")));
      let response = "";
      socket.on("data", (chunk) => {
        response += chunk;
      });
      socket.on("close", () => resolve(response.split(" ", 2)[1] ?? ""));
      socket.on("error", reject);
    });
  const plan = "GET /api/plan HTTP/1.1\nConnection: close\n";
  expect(await statusOf(`${plan}Host: localhost\n\n`)).toBe("200");
  expect(await statusOf(`${plan}Host: localhost\nHost: evil.test\n\n`)).toBe("403");
  expect(await statusOf(`${plan}Host: evil.test\nHost: localhost\n\n`)).toBe("403");
  expect(await statusOf(`${plan}\n`)).toBe("400");
  expect(await statusOf("GET /api/plan HTTP/1.0\n\n")).toBe("403");
  expect(
    await statusOf("GET http://localhost/api/plan HTTP/1.1\nHost: evil.test\nConnection: close\n\n"),
  ).toBe("403");
});

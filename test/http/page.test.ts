import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { addPage } from "../../src/http/page.ts";
import { pageSource } from "../../src/http/page-source.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function server() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "plan"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "plan", "index.html"), "<!doctype html><title>plan page</title>");
  await writeFile(join(folder, "assets", "main-abc123.js"), "export {};");
  await writeFile(join(folder, "assets", "frame.html"), "<!doctype html>");
  await writeFile(join(folder, "secret.txt"), "secret");
  const app = createApp({ bodyLimit: 1_000, acceptAnyPath: true });
  addPage(app, { source: pageSource(() => folder), name: "plan" });
  app.get("/api/known", () => ({ known: true }));
  onTestFinished(() => app.close());
  return app;
}

describe("the page", () => {
  it.each(["/", "/deep/path", "/api", "/api/none", "/favicon.ico", "/gr%C3%B6%C3%9Fe", "/%", "/%ff?x=%zz"])(
    "stands at %s",
    async (url) => {
      const response = await (await server()).inject({ url });
      expect(response.statusCode).toBe(200);
      expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(response.body).toContain("plan page");
      expect(response.headers["content-security-policy"]).toContain("default-src 'none'");
    },
  );

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const)(
    "answers %s, whatever it carries",
    async (method) => {
      const app = await server();
      const bodies: readonly (readonly [string, string])[] = [
        ["application/json", '{"broken'],
        ["text/plain", "text"],
        ["strange/type", "x"],
        ["application/json", "x".repeat(5_000)],
      ];
      for (const [type, payload] of bodies) {
        const headers = { "content-type": type };
        const response = await app.inject({ method, url: "/api/none", payload, headers });
        expect(response.statusCode).toBe(200);
        expect(response.body).toContain("plan page");
      }
    },
  );

  it("is served on a path whose route has another method only", async () => {
    const response = await (await server()).inject({ method: "DELETE", url: "/api/known" });
    expect(response.body).toContain("plan page");
  });

  it("states the remedy if it was not built", async () => {
    const app = createApp({ bodyLimit: 1_000 });
    onTestFinished(() => app.close());
    const empty = await temporaryFolder();
    addPage(app, { source: pageSource(() => empty), name: "plan" });
    const response = await app.inject({ url: "/" });
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain("npm run build");
  });
});

describe("assets", () => {
  it("are immutable", async () => {
    const response = await (await server()).inject({ url: "/assets/main-abc123.js" });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toMatch(/javascript/);
    expect(response.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });

  it("in HTML are sandboxed, framed by the server's own pages only, and revalidated", async () => {
    const { headers } = await (await server()).inject({ url: "/assets/frame.html" });
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toBe("sandbox allow-scripts; frame-ancestors 'self'");
    expect(headers["x-frame-options"]).toBe("SAMEORIGIN");
    expect(headers["cache-control"]).toBe("no-cache");
  });

  it("are 404 if missing, so that a stale page is noticed", async () => {
    const response = await (await server()).inject({ url: "/assets/main-old.js" });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ error: "File not found" });
  });

  it.each([
    "/assets/../secret.txt",
    "/assets/..%2fsecret.txt",
    "/assets/%2e%2e/secret.txt",
    "/assets/..%5csecret.txt",
  ])("do not lead out of their folder: %s", async (url) => {
    const response = await (await server()).inject({ url });
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).not.toContain("secret");
  });
});

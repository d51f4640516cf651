import { chmod, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const REVIEW = ["review", "plan"];
const SSH = { SSH_CONNECTION: "10.0.0.2 50000 10.0.0.1 22" };
const PLAN = "# Tunnel\n\nDig.\n";

/** Sends a request with these headers and resolves to the status. */
function statusOf(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end(method === "GET" ? undefined : "{}");
  });
}

describe("a review on a remote machine", () => {
  it("gives the URL to the program in BROWSER over SSH, and prints one tunnel for all open reviews", async () => {
    const folder = await sandbox();
    const opened = join(folder, "opened");
    const browser = join(folder, "open-here");
    await writeFile(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`);
    await chmod(browser, 0o755);
    const first = await startCommand(REVIEW, { folder, stdin: PLAN, environment: SSH });
    const firstPort = new URL(await first.url()).port;
    await first.waitForOutput(/ssh -L \d+:localhost:\d+ \S+@\S+/);
    const environment = { ...SSH, BROWSER: browser };
    const second = await startCommand(REVIEW, { folder, stdin: PLAN, environment });
    const url = await second.url();
    const { port } = new URL(url);
    await expect.poll(() => readFile(opened, "utf8").catch(() => "")).toBe(`${url}\n`);
    const [line] = await second.waitForOutput(/ssh .*@.*/);
    expect(line).toContain(`-L ${port}:localhost:${port} `);
    expect(line).toContain(`-L ${firstPort}:localhost:${firstPort} `);
  });

  it("prints the forwarded URL and a QR code in a Codespace, and accepts exactly that host", async () => {
    const environment = {
      CODESPACE_NAME: "fluffy-doodle",
      GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: "app.github.dev",
    };
    const review = await startCommand([...REVIEW, "--qr"], { stdin: PLAN, environment });
    const port = Number(new URL(await review.url()).port);
    const host = `fluffy-doodle-${port}.app.github.dev`;
    await review.waitForOutput(new RegExp(`In your browser: https://${host}`));
    await review.waitForOutput(/█▀|▄█/);
    const get = (name: string) => statusOf(port, "GET", "/api/plan", { host: name });
    expect(await get(host)).toBe(200);
    expect(await get(`fluffy-doodle-${port + 1}.app.github.dev`)).toBe(403);
    expect(await get("evil.app.github.dev")).toBe(403);
    const deny = (name: string, origin: string) =>
      statusOf(port, "POST", "/api/deny", { host: name, origin, "content-type": "application/json" });
    expect(await deny(host, "https://evil.app.github.dev")).toBe(403);
    // The Codespaces proxy rewrites Host and Origin to localhost, in some versions with https.
    expect(await deny(`localhost:${port}`, `https://localhost:${port}`)).toBe(200);
  });

  it("explains why there is no QR code if other devices cannot open the review", async () => {
    const review = await startCommand([...REVIEW, "--qr"], { stdin: PLAN });
    await review.waitForOutput(/No QR code: only this machine can open the review/);
  });

  it("fails with a hint if there is no tailnet", async () => {
    const { code, stderr } = await (await startCommand([...REVIEW, "--host", "tailnet"], { stdin: PLAN }))
      .ended;
    expect(code).toBe(2);
    expect(stderr).toContain("No tailnet address found on this machine");
    expect(stderr).toContain("Start Tailscale");
  });
});

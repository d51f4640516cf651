import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const review = ["review", "plan", "--no-open"];
const draft = { generation: 1, content: { notes: ["typed"] } };

function put(url: string, body: object) {
  const headers = { "content-type": "application/json" };
  return fetch(url, { method: "PUT", headers, body: JSON.stringify(body) });
}

/** Reads an event stream until it ends. */
async function events(url: string) {
  const response = await fetch(`${url}/api/events`);
  return { text: response.text().catch(() => "cut off") };
}

describe("an undecided review", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends with %s: nothing printed, the draft kept, the page told", async (signal, code) => {
    const command = await startCommand(review, { stdin: "# Plan" });
    const url = await command.url();
    const stream = await events(url);
    expect((await put(`${url}/api/draft`, draft)).status).toBe(200);
    command.child.kill(signal);
    const end = await command.ended;
    expect([end.code, end.stdout]).toEqual([code, ""]);
    expect(/Comments are kept/.test(end.stderr)).toBe(signal === "SIGINT");
    expect(await stream.text).toContain('event: closing\ndata: {"reason":"signal"}');
    const [file = ""] = await readdir(join(command.folder, "data", "drafts"));
    expect(JSON.parse(await readFile(join(command.folder, "data", "drafts", file), "utf8"))).toMatchObject(
      draft,
    );
  });

  it("ends with its time limit", async () => {
    // If opening the page takes longer than the time limit, the test extends the limit.
    for (let [seconds, hasEvents] = [2, false]; !hasEvents; seconds *= 4) {
      const command = await startCommand([...review, "--timeout", `${seconds}`], { stdin: "# Plan" });
      const stream = await events(await command.url()).catch(() => undefined);
      const end = await command.ended;
      expect([end.code, end.stdout]).toEqual([124, ""]);
      expect(end.stderr).toContain("Ended without a decision");
      if (stream) expect(await stream.text).toContain('"reason":"timeout"');
      hasEvents = stream !== undefined;
    }
  });

  it("ends with its time limit if stdin is not closed", async () => {
    const command = await startCommand([...review, "-", "--timeout", "0.2"], {
      stdin: "# Pl",
      stdinStaysOpen: true,
    });
    const { code, stdout } = await command.ended;
    expect([code, stdout]).toEqual([124, ""]);
  });

  it("ends when its caller has exited", async () => {
    const folder = await sandbox();
    const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
    const source = `
      const { spawn } = require("node:child_process");
      const review = spawn(process.execPath, process.argv.slice(1), { stdio: ["ignore", "inherit", "pipe"] });
      review.stderr.pipe(process.stderr);
      setInterval(() => {}, 1000);`;
    const plan = resolve(import.meta.dirname, "../../examples/plan.md");
    const parent = spawn(process.execPath, ["-e", source, command, ...review, plan], {
      env: { PATH: process.env["PATH"], HOME: folder, SERVICE_HOME: join(folder, "data"), BROWSER: "none" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    let stderr = "";
    while (!/http:\/\/localhost:\d+/.test(stderr)) stderr += String(await once(parent.stderr, "data"));
    const url = /http:\/\/localhost:\d+/.exec(stderr)?.[0] ?? "";
    const stream = await events(url);
    parent.kill("SIGKILL");
    expect(await stream.text).toContain('"reason":"caller-gone"');
    await expect.poll(() => fetch(url).catch(() => "gone")).toBe("gone");
  });

  it("ends while it reads the plan from stdin", async () => {
    const folder = await sandbox();
    const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
    const child = spawn(process.execPath, [command, ...review], {
      env: { PATH: process.env["PATH"], HOME: folder, SERVICE_HOME: join(folder, "data") },
      stdio: ["pipe", "ignore", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.write('{"tool_input": {"plan": "# Half');
    const timer = setInterval(() => child.kill("SIGTERM"), 400);
    const [code, signal] = await once(child, "close");
    clearInterval(timer);
    expect(code ?? signal).toSatisfy((end) => end === 143 || end === "SIGTERM");
  });

  it("does not end when its tab is closed: the URL is printed again", async () => {
    const command = await startCommand(review, { stdin: "# Plan" });
    const controller = new AbortController();
    const url = await command.url();
    await fetch(`${url}/api/events`, { signal: controller.signal });
    controller.abort();
    await command.waitForOutput(/still waits at http:\/\/localhost/);
    expect(command.stdout()).toBe("");
    expect((await command.post("/api/approve", {})).status).toBe(200);
  });
});

describe("a decided review", () => {
  it("delivers the decision if stderr is closed", async () => {
    const command = await startCommand(review, { stdin: "# Plan" });
    const url = await command.url();
    command.child.stderr?.destroy();
    // The request is rejected and reported in a note.
    const foreign = { method: "POST", headers: { origin: "http://evil.test" } };
    expect((await fetch(`${url}/api/approve`, foreign)).status).toBe(403);
    expect(await command.post("/api/deny", { feedback: "Heard." })).toMatchObject({ status: 200 });
    expect(await command.ended).toMatchObject({ code: 0, stdout: "Plan not approved.\n\nHeard.\n" });
  });

  it("delivers 5 MB completely to a slow reader", async () => {
    const feedback = 'größer 大 "quoted" \\ 0123456789\n'.repeat(150_000);
    const command = await startCommand([...review, "--json"], { stdin: "# Plan", unread: true });
    expect((await command.post("/api/deny", { feedback })).status).toBe(200);
    const url = await command.url();
    await expect.poll(() => fetch(url).catch(() => "closed")).toBe("closed");
    command.readStdout();
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).feedback).toBe(feedback);
  });

  it("keeps the draft for the next round if the agent has exited, and deletes it if the decision was delivered", async () => {
    for (const isMissing of [true, false]) {
      const command = await startCommand(review, { stdin: "# Plan", unread: isMissing });
      const url = await command.url();
      await put(`${url}/api/draft`, draft);
      if (isMissing) command.child.stdout?.destroy();
      await command.post("/api/deny", { feedback: "no" });
      await command.ended;
      const data = join(command.folder, "data");
      expect(await readdir(join(data, "drafts"))).toHaveLength(isMissing ? 1 : 0);
      const [decision] = await readdir(join(data, "decisions"));
      expect(decision?.endsWith(".read.json")).toBe(!isMissing);
    }
  });

  it("is deleted long after its agent has read it", async () => {
    const folder = await sandbox();
    const decisions = join(folder, "data", "decisions");
    await mkdir(decisions, { recursive: true });
    for (let day = 1; day <= 210; day += 1) {
      const path = join(decisions, `2020-01-01-${day}.read.json`);
      await writeFile(path, "{}");
      await utimes(path, day * 86_400, day * 86_400);
    }
    const command = await startCommand(review, { stdin: "# Plan", folder });
    await command.url();
    await expect.poll(async () => (await readdir(decisions)).length).toBe(200);
    expect((await command.post("/api/approve", {})).status).toBe(200);
  });

  it("closes every connection and tells every page", async () => {
    const command = await startCommand(review, { stdin: "# Plan" });
    const url = await command.url();
    const streams = [await events(url), await events(url)];
    const idle = connect(Number(new URL(url).port), "127.0.0.1");
    idle.on("error", () => {});
    await once(idle, "connect");
    const closed = once(idle, "close");
    await command.post("/api/approve", {});
    for (const stream of streams) {
      expect(await stream.text).toContain('event: decided\ndata: {"decision":"approve"}');
      expect(await stream.text).toContain('event: closing\ndata: {"reason":"decided"}');
    }
    await closed;
    expect((await command.ended).code).toBe(0);
  });
});

describe("the address of a review", () => {
  it("has the same port in each round, and another for a second review", async () => {
    const folder = await sandbox();
    const first = await startCommand(review, { stdin: "# Plan", folder });
    const second = await startCommand(review, { stdin: "# Plan", folder });
    const urls = [await first.url(), await second.url()];
    expect(urls[0]).not.toBe(urls[1]);
    await first.post("/api/deny", {});
    await second.post("/api/deny", {});
    await Promise.all([first.ended, second.ended]);
    const third = await startCommand(review, { stdin: "# Plan", folder });
    expect(urls).toContain(await third.url());
  });

  it("is in the ready file, and causes a warning beyond loopback", async () => {
    const folder = await sandbox();
    const ready = join(folder, "ready.json");
    const command = await startCommand([...review, "--host", "0.0.0.0", "--ready-file", ready], {
      stdin: "# Plan",
      folder,
    });
    const url = await command.url();
    await command.waitForOutput(/Warning: also reachable at 0\.0\.0\.0/);
    await expect.poll(() => readFile(ready, "utf8").catch(() => "")).not.toBe("");
    const { port } = new URL(url);
    expect(JSON.parse(await readFile(ready, "utf8"))).toEqual({
      url,
      port: Number(port),
      pid: command.child.pid,
    });
    expect((await fetch(`http://127.0.0.2:${port}/api/plan`)).status).toBe(200);
    expect((await fetch(`http://0.0.0.0:${port}/api/plan`)).status).toBe(403);
    expect((await fetch(`http://127.0.0.2:${port}/api/image?path=/etc/passwd`)).status).toBe(404);
  });
});

import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { claudePermissionRequest } from "../../../src/agents/claude-code/hook.ts";
import { JPEG, PNG } from "../../support/images.ts";
import { PAGE_TOKEN, PLAN, planServer } from "../../support/plan-server.ts";

const headers = { host: "localhost" };
const fromPage = { ...headers, "x-sallyport-page": PAGE_TOKEN };
const agents = [{ id: "build", name: "Build", mode: "primary" }];

describe("GET /api/plan", () => {
  it("has the members of the specification and those that the page needs", async () => {
    const { app } = await planServer({
      origin: "origin_a",
      channel: claudePermissionRequest({ plan: PLAN }),
    });
    const response = await app.inject({ url: "/api/plan", headers });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      plan: PLAN,
      origin: "origin_a",
      permissionMode: "plan",
      sharingEnabled: true,
      title: "Dig the tunnel",
      round: 1,
      caller: { name: "Claude Code", approvalNote: "plan", takesPermissionMode: true },
      settings: { theme: "system", planSave: { enabled: true } },
    });
  });

  it("has no permission mode for origin_b", async () => {
    const { app } = await planServer({ origin: "origin_b" });
    expect((await app.inject({ url: "/api/plan", headers })).json()).not.toHaveProperty("permissionMode");
  });
});

describe("a decision", () => {
  it("is stored before the response and delivered after it", async () => {
    const { context, post } = await planServer();
    const response = await post("/api/deny", { feedback: "no" });
    expect(response.json()).toMatchObject({ ok: true, savedPath: expect.stringMatching(/-denied\.md$/) });
    expect(await context.records.last()).toMatchObject({
      text: "Plan not approved.\n\nno",
      decision: { kind: "deny" },
    });
    expect(await context.session.outcome).toMatchObject({ kind: "decided", decision: { feedback: "no" } });
  });

  it("is the first of several: the others get 409, and nothing of theirs is stored", async () => {
    const { folder, post } = await planServer();
    const bodies = Array.from({ length: 30 }, (_, index) => ({ feedback: `no ${index}` }));
    const responses = await Promise.all(bodies.map((body) => post("/api/deny", body)));
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    for (const response of responses.filter(({ statusCode }) => statusCode !== 200)) {
      expect([response.statusCode, response.json()]).toEqual([409, { error: "Already decided" }]);
    }
    expect(await readdir(join(folder, "data", "plans"))).toHaveLength(1);
    expect(await readdir(join(folder, "data", "decisions"))).toHaveLength(1);
  });

  it.each([
    ["a permission mode outside the list", { permissionMode: "root" }],
    ["a permission mode in other letters", { permissionMode: "BypassPermissions" }],
    ["planSave that is no object", { planSave: "yes" }],
    ["a relative folder", { planSave: { customPath: "plans" } }],
    ["a relative vault", { vaultapp: { vaultPath: "vault", plan: "" } }],
    ["a vault without plan", { vaultapp: { vaultPath: "/" } }],
    ["a note without plan", { noteapp: {} }],
    ["an unknown agent", { agentSwitch: "nobody" }],
    ["feedback that is no text", { feedback: {} }],
    [
      "annotations of an unknown type",
      { annotations: [{ id: "1", type: "praise", text: "", createdAt: "" }] },
    ],
    ["a list", []],
    ["text", '"approve"'],
    ["null", "null"],
    ["half a body", '{"feedback": "half'],
    ["a poisoned body", '{"__proto__": {"feedback": "x"}}'],
  ])("is refused with %s, and the review goes on", async (_name, payload) => {
    const { app, context } = await planServer({ agents });
    const response = await app.inject({
      method: "POST",
      url: "/api/approve",
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
      headers: { ...headers, "content-type": "application/json" },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatch(/./);
    expect(context.session.phase).toBe("waiting");
  });

  it("may come without a body, as every member is optional", async () => {
    const { app } = await planServer();
    expect((await app.inject({ method: "POST", url: "/api/approve", headers })).json()).toMatchObject({
      ok: true,
    });
  });

  it("is rejected at once if it cannot be stored", async () => {
    const { context, failures, folder, post } = await planServer();
    const obstacle = join(folder, "data", "decisions");
    await writeFile(obstacle, "in the way");
    const response = await post("/api/deny", { feedback: "kept" });
    expect(response.statusCode).toBe(500);
    const message = "The decision was not accepted. Cannot store data in";
    expect(response.json().error).toContain(message);
    expect(failures).toMatchObject([{ message: expect.stringContaining(message) }]);
    expect(context.session.phase).toBe("waiting");
    const next = await planServer({ folder, plan: `${PLAN}more\n` });
    const { rounds } = (await next.app.inject({ url: "/api/history", headers })).json();
    expect([rounds.length, rounds[0].decision]).toEqual([1, undefined]);
    await rm(obstacle);
    expect((await post("/api/deny", { feedback: "kept" })).json()).toMatchObject({ ok: true });
    expect(await context.records.last()).toMatchObject({ text: "Plan not approved.\n\nkept" });
  });

  it("is accepted without a record when it is sent again after that error", async () => {
    const { context, folder, post } = await planServer();
    await writeFile(join(folder, "data", "decisions"), "in the way");
    expect((await post("/api/deny", { feedback: "first" })).statusCode).toBe(500);
    const response = await post("/api/deny", { feedback: "again" });
    expect([response.statusCode, response.json().warnings]).toEqual([
      200,
      [expect.stringContaining("is not recorded")],
    ]);
    expect(await context.session.outcome).toMatchObject({ decision: { feedback: "again" } });
  });

  it("is stored with its round, which the next round shows", async () => {
    const first = await planServer();
    const annotation = { id: "1", type: "general", text: "deeper", createdAt: "2026-11-21T12:00:00Z" };
    await first.post("/api/deny", { feedback: "deeper", annotations: [annotation] });
    const second = await planServer({ folder: first.folder, plan: `${PLAN}- [ ] deeper\n` });
    expect((await second.app.inject({ url: "/api/plan", headers })).json()).toMatchObject({ round: 2 });
    expect((await second.app.inject({ url: "/api/history", headers })).json()).toMatchObject({
      rounds: [{ plan: PLAN, decision: { decision: "deny", feedback: "deeper", annotations: [annotation] } }],
    });
  });

  it("leaves typed text to the next round if it never came", async () => {
    const first = await planServer();
    const content = { annotations: [{ id: "1" }] };
    await first.context.drafts.write(first.context.mode.draftKey(), 1, content);
    const second = await planServer({ folder: first.folder, plan: `${PLAN}- [ ] deeper\n` });
    expect((await second.app.inject({ url: "/api/draft", headers })).json()).toMatchObject({ generation: 0 });
    expect((await second.app.inject({ url: "/api/history", headers })).json()).toMatchObject({
      rounds: [{ round: 1, draft: { generation: 1, content } }],
    });
  });

  it("is not blocked by an invalid folder", async () => {
    const { folder, post } = await planServer();
    await writeFile(join(folder, "file"), "");
    const customPath = join(folder, "file", "plans");
    const response = await post("/api/deny", { planSave: { enabled: true, customPath } });
    expect(response.json()).toEqual({ ok: true, warnings: [expect.stringContaining("not saved")] });
  });

  it("saves by the stored choice if the body has none", async () => {
    const { context, folder, post } = await planServer();
    const customPath = join(folder, "kept");
    await context.settings.change({ planSave: { enabled: true, customPath } });
    expect((await post("/api/approve", { planSave: {} })).json().savedPath).toMatch(customPath);
    const off = await planServer({ folder });
    await off.context.settings.change({ planSave: { enabled: false } });
    expect((await off.post("/api/approve", {})).json()).toEqual({ ok: true });
  });

  it("is not blocked by an invalid stored folder", async () => {
    const { context, folder, post } = await planServer();
    await context.settings.change({ planSave: { enabled: true, customPath: "plans" } });
    const { ok, savedPath, warnings } = (await post("/api/approve", {})).json();
    expect(ok).toBe(true);
    expect(savedPath.startsWith(join(folder, ""))).toBe(true);
    expect(warnings).toEqual([
      'The plans folder is used instead: The remembered folder must be an absolute path or begin with ~/, got "plans". Choose another folder in the save settings.',
    ]);
  });

  it("is also saved to the vault, where a failure is a warning", async () => {
    const { folder, post } = await planServer();
    await mkdir(join(folder, "vault"));
    const vaultapp = { vaultPath: join(folder, "vault"), plan: "# Note" };
    expect((await post("/api/approve", { vaultapp })).json()).not.toHaveProperty("warnings");
    expect(await readdir(join(folder, "vault"))).toHaveLength(1);
    const failing = await planServer();
    const response = await failing.post("/api/approve", {
      vaultapp: { ...vaultapp, folder: ".." },
      noteapp: { plan: "" },
    });
    expect(response.json()).toMatchObject({ ok: true, savedPath: expect.any(String) });
    expect(response.json().warnings).toHaveLength(2);
  });

  it("saves no copy of a plan that was never sent", async () => {
    const { context, folder, post } = await planServer({ plan: "", missing: "The agent sent none." });
    await context.settings.change({ planSave: { enabled: true, customPath: "plans" } });
    expect((await post("/api/deny", {})).json()).toEqual({ ok: true });
    await expect(readdir(join(folder, "data", "plans"))).rejects.toThrow();
  });
});

describe("GET /api/image", () => {
  it("serves images in which no script can run", async () => {
    const { app, folder } = await planServer();
    await writeFile(join(folder, "größe.txt"), JPEG);
    const url = `/api/image?path=${encodeURIComponent(join(folder, "größe.txt"))}`;
    const response = await app.inject({ url, headers });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("image/jpeg");
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
    expect(response.headers["content-security-policy"]).toContain("sandbox");
    expect(response.rawPayload.equals(JPEG)).toBe(true);
  });

  it.each([
    ["", 400, "Missing path parameter"],
    ["?path=", 400, "Missing path parameter"],
    ["?path=a&path=b", 400, "Missing path parameter"],
    ["?path=/no/such/file.png", 404, "File not found"],
    ["?path=a%00.png", 404, "File not found"],
    ["?path=/etc/passwd", 400, "Unsupported image type"],
  ])("answers %j with %i", async (query, status, error) => {
    const { app } = await planServer();
    const response = await app.inject({ url: `/api/image${query}`, headers });
    expect([response.statusCode, response.json()]).toEqual([status, { error }]);
  });

  it("does not reveal files outside the allowed folders on a remote host", async () => {
    const { app, folder } = await planServer({ confined: { folders: ["/nowhere"], files: () => [] } });
    await writeFile(join(folder, "a.png"), PNG);
    const path = encodeURIComponent(join(folder, "a.png"));
    const response = await app.inject({ url: `/api/image?path=${path}`, headers });
    expect([response.statusCode, response.json()]).toEqual([404, { error: "File not found" }]);
  });
});

describe("POST /api/upload", () => {
  const form = (parts: string, type = "multipart/form-data; boundary=b") => ({
    method: "POST" as const,
    url: "/api/upload",
    payload: Buffer.concat([
      Buffer.from(parts.replaceAll("\n", "\r\n").replace("PNG", "")),
      PNG,
      Buffer.from("\r\n--b--\r\n"),
    ]),
    headers: { ...headers, "content-type": type },
  });

  it("stores the file and returns its path", async () => {
    const { app } = await planServer();
    const parts = '--b\nContent-Disposition: form-data; name="file"; filename="größe.png"\n\nPNG';
    const response = (await app.inject(form(parts))).json();
    expect(response.originalName).toBe("größe.png");
    expect((await readFile(response.path)).equals(PNG)).toBe(true);
  });

  it("finds the file among other form fields", async () => {
    const { app } = await planServer();
    const part = (disposition: string, content: string) =>
      `--b\nContent-Disposition: form-data; ${disposition}\n\n${content}\n`;
    const fields = Array.from({ length: 20 }, (_, index) => part(`name="field${index}"`, "x"));
    const others = [...fields, part('name="thumbnail"; filename="small.png"', "none of ours")];
    const parts = `${others.join("")}--b\nContent-Disposition: form-data; name="file"; filename="a.png"\n\nPNG`;
    expect((await app.inject(form(parts))).json()).toMatchObject({ originalName: "a.png" });
  });

  it.each([
    ["under another name", '--b\nContent-Disposition: form-data; name="picture"; filename="a.png"\n\nPNG'],
    ["as plain text", '--b\nContent-Disposition: form-data; name="file"\n\nPNG'],
  ])("refuses a file %s", async (_name, parts) => {
    const { app } = await planServer();
    const response = await app.inject(form(parts));
    expect([response.statusCode, response.json()]).toEqual([400, { error: "No file provided" }]);
  });

  it("rejects a body that is not multipart", async () => {
    const { app } = await planServer();
    expect((await app.inject(form("{}", "application/json"))).statusCode).toBe(400);
    expect((await app.inject(form("nonsense", "multipart/form-data"))).statusCode).toBeLessThan(500);
  });
});

describe("drafts and settings", () => {
  it("are returned as they were stored", async () => {
    const { app, folder } = await planServer();
    const put = (url: string, payload: object) => app.inject({ method: "PUT", url, payload, headers });
    const saved = await put("/api/draft", { generation: 1, content: { notes: ["a"] } });
    expect(saved.json()).toEqual({ generation: 1, savedAt: expect.any(String) });
    const again = await planServer({ folder });
    expect((await again.app.inject({ url: "/api/draft", headers })).json()).toMatchObject({
      generation: 1,
      content: { notes: ["a"] },
    });
    const late = await put("/api/draft", { generation: 1, content: null });
    expect([late.statusCode, late.json().content]).toEqual([409, { notes: ["a"] }]);
    expect((await put("/api/draft", { content: 1 })).statusCode).toBe(400);
  });

  it("keep settings that the page does not know", async () => {
    const { app } = await planServer();
    const put = (payload: object) =>
      app.inject({ method: "PUT", url: "/api/settings", payload, headers: fromPage });
    await put({ view: { layout: "split" } });
    const changed = await put({ theme: "dark" });
    const expected = { theme: "dark", planSave: { enabled: true }, view: { layout: "split" } };
    expect(changed.json()).toEqual(expected);
    expect((await app.inject({ url: "/api/settings", headers })).json()).toEqual(expected);
    expect((await put({ theme: "pink" })).statusCode).toBe(400);
    expect((await put({ planSave: { enabled: true, customPath: "plans" } })).statusCode).toBe(400);
    expect((await app.inject({ url: "/api/settings", headers })).json()).toEqual(expected);
  });
});

describe("every response", () => {
  const routes = [
    ["GET", "/"],
    ["GET", "/assets/a.js"],
    ["GET", "/api/plan"],
    ["GET", "/api/agents"],
    ["GET", "/api/draft"],
    ["GET", "/api/events"],
    ["GET", "/api/history"],
    ["GET", "/api/image?path=a.png"],
    ["GET", "/api/notes/vaults"],
    ["GET", "/api/settings"],
    ["PUT", "/api/draft"],
    ["PUT", "/api/settings"],
    ["POST", "/api/approve"],
    ["POST", "/api/deny"],
    ["POST", "/api/upload"],
    ["OPTIONS", "/api/approve"],
  ] as const;

  it.each(routes)("to %s %s of another page is 403", async (method, url) => {
    const { app, context } = await planServer();
    for (const foreign of [
      { host: "evil.test" },
      { host: "localhost", origin: "http://localhost:3000" },
      { host: "localhost", "sec-fetch-site": "same-site" },
      { host: "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    ]) {
      const response = await app.inject({ method, url, headers: foreign });
      expect(response.statusCode).toBe(403);
      expect(response.json().error).toMatch(/./);
      expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect(context.session.phase).toBe("waiting");
  });

  it("forbids sniffing, framing and caching", async () => {
    const { app } = await planServer();
    for (const url of ["/", "/api/plan", "/api/image", "/api/agents"]) {
      expect((await app.inject({ url, headers })).headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
    }
  });

  it("hides the cause of an internal error, which is reported", async () => {
    const { app, context, failures } = await planServer();
    const defect = new Error("a secret of ours");
    vi.spyOn(context.settings, "change").mockRejectedValue(defect);
    const response = await app.inject({
      method: "PUT",
      url: "/api/settings",
      payload: {},
      headers: fromPage,
    });
    expect([response.statusCode, response.json()]).toEqual([500, { error: "Internal server error" }]);
    expect(failures).toEqual([defect]);
  });

  it.each([
    ["/api/settings", {}, "settings.json"],
    ["/api/draft", { generation: 1, content: "typed" }, "drafts"],
  ])("to a PUT %s that cannot be stored says so, and why", async (url, payload, obstacle) => {
    const { app, folder, failures, post } = await planServer();
    await (obstacle === "drafts"
      ? writeFile(join(folder, "data", obstacle), "in the way")
      : mkdir(join(folder, "data", obstacle)));
    const response = await app.inject({ method: "PUT", url, payload, headers: fromPage });
    const message = /^Cannot store data in .*: another file or folder has that name\.$/;
    expect([response.statusCode, response.json().error]).toEqual([500, expect.stringMatching(message)]);
    expect(failures).toMatchObject([{ message: expect.stringMatching(message) }]);
    expect((await post("/api/deny", {})).statusCode).toBe(200);
  });
});

it.each([
  ["/api/notes/vaults", { vaults: [] }],
  ["/api/agents", { agents: [] }],
])("GET %s", async (url, expected) => {
  const { app } = await planServer();
  expect((await app.inject({ url, headers })).json()).toEqual(expected);
});

it("creates the folders of the data directory for their owner only", async () => {
  const { folder, post } = await planServer();
  await post("/api/deny", {});
  for (const name of ["data", "data/plans", "data/decisions", "data/history"]) {
    expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o700]);
  }
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { explain, getJson } from "../../../../web/shared/api/client.ts";

afterEach(() => void vi.unstubAllGlobals());

const respond = (body: string, status: number, type: string) =>
  vi.stubGlobal("fetch", async () => new Response(body, { status, headers: { "content-type": type } }));

describe("a response that is not JSON", () => {
  it("means that the server has no such route if it is the page", async () => {
    respond("<!doctype html>", 200, "text/html; charset=utf-8");
    expect(await getJson("/api/draft")).toEqual({ ok: false, reason: "absent" });
  });

  it("means that the server is not reachable if it is a proxy's error", async () => {
    respond("<h1>502 Bad Gateway</h1>", 502, "text/html");
    expect(await getJson("/api/draft")).toEqual({ ok: false, reason: "gone" });
  });
});

it.each([
  ["Already decided", "Already decided."],
  ["Cannot store data: the disk is full.", "Cannot store data: the disk is full."],
])("the message %j of the server is explained as a sentence", (message, explained) => {
  expect(explain({ ok: false, reason: "refused", status: 409, message, body: null })).toBe(explained);
});

it("an error of the server has its message", async () => {
  respond('{"error":"Already decided"}', 409, "application/json");
  expect(await getJson("/api/draft")).toMatchObject({
    reason: "refused",
    status: 409,
    message: "Already decided",
  });
});

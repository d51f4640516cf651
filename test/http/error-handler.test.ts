import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../src/errors.ts";
import { addErrorHandler, createApp } from "../../src/http/app.ts";

function server() {
  const onInternal = vi.fn();
  const app = createApp({ bodyLimit: 100 });
  addErrorHandler(app, onInternal);
  app.post("/echo", (request) => request.body);
  app.get("/known", () => {
    throw new AppError("not_found", "File not found");
  });
  app.get("/defect", () => {
    throw new Error("secret of ours");
  });
  onTestFinished(() => app.close());
  return { app, onInternal };
}

describe("the error handler", () => {
  it("returns status and message of a known error", async () => {
    const { app, onInternal } = server();
    const response = await app.inject({ url: "/known" });
    expect([response.statusCode, response.json()]).toEqual([404, { error: "File not found" }]);
    expect(onInternal).not.toHaveBeenCalled();
  });

  it("hides the details of a defect and reports it", async () => {
    const { app, onInternal } = server();
    const response = await app.inject({ url: "/defect" });
    expect([response.statusCode, response.json()]).toEqual([500, { error: "Internal server error" }]);
    expect(onInternal).toHaveBeenCalledWith(expect.objectContaining({ message: "secret of ours" }));
  });

  it.each([
    ["half JSON", '{"a', "application/json", 400],
    ["a type nobody takes", "<a/>", "application/xml", 415],
    ["too much", `"${"x".repeat(200)}"`, "application/json", 413],
  ])("of the sender keep their status: %s", async (_name, payload, type, status) => {
    const { app } = server();
    const response = await app.inject({
      method: "POST",
      url: "/echo",
      payload,
      headers: { "content-type": type },
    });
    expect(response.statusCode).toBe(status);
    expect(Object.keys(response.json())).toEqual(["error"]);
  });
});

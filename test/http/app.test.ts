import { expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listen.ts";
import { sendRaw } from "../support/raw-http.ts";

it("createApp serves a request that must not change the protocol as if it had no header Upgrade", async () => {
  const app = createApp({ bodyLimit: 1_000, isUpgrade: () => false });
  onTestFinished(() => app.close());
  app.get("/", () => "served");
  const upgrade = vi.fn((_request, socket) => socket.destroy());
  app.server.on("upgrade", upgrade);
  const port = await listen(app, { port: 0, host: "127.0.0.1" });
  const response = await sendRaw(
    port,
    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  );
  expect(response).toMatch(/^HTTP\/1.1 200 [\s\S]*served$/);
  expect(upgrade).not.toHaveBeenCalled();
});

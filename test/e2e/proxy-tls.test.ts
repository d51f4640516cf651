import { renameSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { makeAuthority, VALID } from "../support/certificates.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

const authority = makeAuthority("Test authority");
const first = authority.issue({ host: "localhost", ...VALID });
const second = authority.issue({ host: "localhost", ...VALID });
const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] });

interface SecureResponse {
  readonly response: IncomingMessage;
  /** The certificate that the proxy presented. */
  readonly pem: string;
}

/** Sends one request on its own connection, and checks the certificate. */
function ask(port: number, path: string, body?: string): Promise<SecureResponse> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      servername: "localhost",
      port,
      path,
      ca: authority.cert,
      agent: false,
    };
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ ...options, headers, method: body === undefined ? "GET" : "POST" }, (response) => {
      const { raw } = (response.socket as TLSSocket).getPeerCertificate();
      const base64 = raw.toString("base64").match(/.{1,64}/g) ?? [];
      const pem = ["-----BEGIN CERTIFICATE-----", ...base64, "-----END CERTIFICATE-----", ""].join("\n");
      resolve({ response, pem });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

/** Starts the proxy with a certificate in files beside its configuration. */
async function start(
  settings: object,
  workers: number,
): Promise<{ folder: string; port: number; command: SpawnedCommand }> {
  const folder = await sandbox();
  writeFileSync(join(folder, "tls.crt"), first.cert);
  writeFileSync(join(folder, "tls.key"), first.key);
  const tls = { cert: "tls.crt", key: "tls.key" };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ proxy: { tls, ...settings } }));
  const port = await quietPort();
  const flags = [
    "--config",
    join(folder, "config.json"),
    "--port",
    String(port),
    "--workers",
    String(workers),
  ];
  const command = await startCommand(["proxy", "start", ...flags], { folder });
  return { folder, port, command };
}

describe("a proxy with proxy.tls", () => {
  it.each([1, 2])(
    "takes up a new certificate without interrupting a stream (%i workers)",
    async (workers) => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const upstream = await startFakeUpstream(async (_hit, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
        await ended;
        response.end("data: [DONE]\n\n");
      });
      const { folder, port, command } = await start(
        { upstreams: { one: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } } },
        workers,
      );
      await command.waitForOutput(new RegExp(`Proxy listening on https://localhost:${port}\\n`));
      const stream = await ask(port, "/v1/chat/completions", BODY);
      expect([stream.response.statusCode, stream.pem]).toEqual([200, first.cert]);

      writeFileSync(join(folder, "next.crt"), second.cert);
      writeFileSync(join(folder, "next.key"), second.key);
      renameSync(join(folder, "next.key"), join(folder, "tls.key"));
      renameSync(join(folder, "next.crt"), join(folder, "tls.crt"));
      for (let pem = ""; pem !== second.cert; ) {
        const { response, pem: shown } = await ask(port, "/healthz");
        expect(await textOf(response)).toBe('{"status":"ok"}');
        pem = shown;
      }

      end();
      expect(await textOf(stream.response)).toContain("[DONE]");
      await upstream.close();
    },
  );

  it("closes connections that do not speak TLS", async () => {
    const { port, command } = await start({}, 1);
    await command.waitForOutput(/Proxy listening/);
    const received = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port, "127.0.0.1", () =>
        socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      );
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });
    expect(received).not.toContain("HTTP/1.1");
  });

  it("keeps the certificate in use if the new one is invalid", async () => {
    const { folder, port, command } = await start({}, 1);
    await command.waitForOutput(/Proxy listening/);
    writeFileSync(join(folder, "tls.key"), second.key);
    await command.waitForOutput(
      /not reloaded.*The private key .*tls\.key does not belong to the certificate/,
    );
    expect((await ask(port, "/healthz")).pem).toBe(first.cert);
  });

  it("does not start without its files, and names them", async () => {
    const { command, folder } = await start({ tls: { cert: "none.crt", key: "tls.key" } }, 1);
    const { code, stderr } = await command.ended;
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot read the certificate ${join(folder, "none.crt")}: no such file`);
    expect(stderr).toContain("proxy.tls.cert");
  });
});

#!/usr/bin/env node
// Starts the Firefox of the variable FIREFOX with this program's arguments, and relays WebDriver BiDi between Playwright
// and it. Playwright sets the color scheme by a command that Firefox ESR does not have; the relay then sets Firefox's
// preference, which applies to all pages.
import { spawn } from "node:child_process";
import { WebSocket, WebSocketServer } from "ws";

const COLOR_SCHEME = "emulation.setMediaFeaturesOverride";
const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/;

const args = ["--remote-allow-system-access", ...process.argv.slice(2)];
// Playwright sets the variable: Firefox would end if the process of a page that is being closed crashes.
const { MOZ_CRASHREPORTER_SHUTDOWN: _, ...env } = process.env;
const firefox = spawn(process.env.FIREFOX, args, { env, stdio: ["ignore", "inherit", "pipe"] });
firefox.once("exit", (code) => process.exit(code ?? 1));
firefox.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, () => firefox.kill(signal));

let output = "";
firefox.stderr.setEncoding("utf8").on("data", (text) => {
  output += text;
  const address = LISTENING.exec(output)?.[1];
  if (!address) return;
  firefox.stderr.removeAllListeners("data").pipe(process.stderr);
  listen(address);
});

function listen(address) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.once("listening", () => {
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`);
  });
  server.on("connection", (client, { url }) => {
    client.pause();
    const browser = new WebSocket(address + url);
    browser.once("open", () => client.resume());
    relay(client, browser);
  });
}

function relay(client, browser) {
  /** Color schemes by the id of their command. */
  const schemes = new Map();
  /** Handlers of the responses to commands of the relay, by id. Their ids count down from the largest. */
  const awaited = new Map();
  let ownId = Number.MAX_SAFE_INTEGER;

  client.on("message", (data) => {
    const { id, method, params } = JSON.parse(String(data));
    if (method === COLOR_SCHEME) schemes.set(id, params.features?.["prefers-color-scheme"]);
    browser.send(String(data));
  });
  browser.on("message", (data) => {
    const text = String(data);
    // Without parsing, because most messages are events.
    if (schemes.size + awaited.size === 0) return client.send(text);
    const message = JSON.parse(text);
    if (awaited.has(message.id)) return awaited.get(message.id)(message);
    const scheme = schemes.get(message.id);
    const isMissing = schemes.delete(message.id) && message.error === "unknown command";
    if (!isMissing) return client.send(text);
    setColorScheme(scheme).then(
      () => client.send(JSON.stringify({ type: "success", id: message.id, result: {} })),
      (error) => client.send(JSON.stringify({ ...message, error: "unknown error", message: String(error) })),
    );
  });
  for (const [one, other] of [
    [client, browser],
    [browser, client],
  ]) {
    one.on("error", () => other.close());
    one.on("close", () => other.close());
  }

  async function setColorScheme(scheme) {
    const { contexts } = await call("browsingContext.getTree", { "moz:scope": "chrome", maxDepth: 0 });
    const { type, exceptionDetails } = await call("script.evaluate", {
      expression: `Services.prefs.setIntPref("ui.systemUsesDarkTheme", ${scheme === "dark" ? 1 : 0})`,
      target: { context: contexts[0].context },
      awaitPromise: false,
    });
    if (type !== "success") throw new Error(exceptionDetails.text);
  }

  function call(method, params) {
    ownId -= 1;
    const id = ownId;
    return new Promise((resolve, reject) => {
      awaited.set(id, (message) => {
        awaited.delete(id);
        if (message.type === "success") resolve(message.result);
        else reject(new Error(message.message));
      });
      browser.send(JSON.stringify({ id, method, params }));
    });
  }
}

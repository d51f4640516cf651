import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { findWebKit } from "../../scripts/webkit.mjs";
import { quietPort } from "./quiet-port.ts";

/** The code points of W3C WebDriver for keys that are not characters. */
export const KEYS = { control: "\uE009", enter: "\uE007", escape: "\uE00C" } as const;

/** A page in WebKitGTK, driven by the W3C WebDriver protocol. */
export interface WebKitPage {
  open(url: string): Promise<void>;
  /** Runs a function body with `arguments` in the page. */
  run(script: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Presses keys one after another. */
  type(text: string): Promise<void>;
  /** Presses keys together: all go down in this order, then up in reverse. */
  press(...keys: readonly string[]): Promise<void>;
  /** Presses the mouse button at the first point, and releases it at the last. */
  drag(...points: readonly Point[]): Promise<void>;
  close(): Promise<void>;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Starts an X server, the driver and a browser. Throws if the machine lacks one. */
export async function startWebKit(): Promise<WebKitPage> {
  const programs = findWebKit();
  if (!programs) throw new Error("No WebKit found. Run node scripts/set-up.mjs --webkit.");
  const server = spawn(
    programs.xvfb,
    ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [display] = await once(createInterface({ input: server.stdout }), "line");
  const port = await quietPort();
  const driver = spawn(programs.driver, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
    stdio: "ignore",
  });
  const root = `http://127.0.0.1:${port}`;
  while (!(await call(root, "GET", "/status").catch(() => undefined)))
    if (driver.exitCode !== null) throw new Error("WebKitWebDriver ended");
    else await setTimeout(100);
  const options = { binary: programs.browser, args: ["--automation"] };
  const { sessionId } = (await call(root, "POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  })) as { sessionId: string };
  return page(`${root}/session/${sessionId}`, [driver, server]);
}

function page(session: string, processes: readonly ChildProcess[]): WebKitPage {
  const post = (path: string, body: object) => call(session, "POST", path, body);
  const perform = (...actions: readonly object[]) => post("/actions", { actions });
  const keys = (actions: readonly object[]) => perform({ type: "key", id: "keyboard", actions });
  const key = (type: "keyDown" | "keyUp") => (value: string) => ({ type, value });
  return {
    open: async (url) => void (await post("/url", { url })),
    run: (script, ...args) => post("/execute/sync", { script, args }),
    type: async (text) =>
      void (await keys([...text].flatMap((value) => [key("keyDown")(value), key("keyUp")(value)]))),
    press: async (...pressed) =>
      void (await keys([...pressed.map(key("keyDown")), ...pressed.toReversed().map(key("keyUp"))])),
    async drag(...points) {
      const moves = points.map(({ x, y }) => ({
        type: "pointerMove",
        x: Math.round(x),
        y: Math.round(y),
        duration: 0,
      }));
      const [first, ...others] = moves;
      const actions = [
        first,
        { type: "pointerDown", button: 0 },
        ...others,
        { type: "pointerUp", button: 0 },
      ];
      await perform({ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions });
    },
    async close() {
      await call(session, "DELETE", "").catch(() => {});
      for (const process of processes) {
        const exited = process.exitCode ?? process.signalCode ?? once(process, "exit");
        process.kill("SIGKILL");
        await exited;
      }
    },
  };
}

async function call(root: string, method: string, path: string, body?: object): Promise<unknown> {
  const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(root + path, { method, ...init });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
  return value;
}

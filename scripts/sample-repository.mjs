// Creates a small repository with uncommitted changes, for screenshots. Its files are fictional.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const BEFORE = {
  "src/http/create-app.ts": `import Fastify, { type FastifyInstance } from "fastify";

export interface AppLimits {
  /** Bytes of a request body; beyond: 413. */
  readonly bodyLimit: number;
  /** Time limit for a request's headers, in milliseconds. */
  readonly headersTimeout?: number;
  /** Time limit for a whole request, in milliseconds. */
  readonly requestTimeout?: number;
}

/**
 * Creates a server with the limits that all listeners share. Node needs all three timeouts: the one for the
 * whole request has no effect before the one for its headers has passed.
 */
export function createApp(limits: AppLimits): FastifyInstance {
  const headersTimeout = limits.headersTimeout ?? 15_000;
  const requestTimeout = limits.requestTimeout ?? 60_000;
  return Fastify({
    bodyLimit: limits.bodyLimit,
    requestTimeout,
    keepAliveTimeout: 10_000,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 2_048 },
    http: { headersTimeout, connectionsCheckingInterval: 2_000, maxHeaderSize: 32_768 },
  });
}
`,
  "src/http/error-handler.ts": `import type { FastifyError, FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";

/** Returns every error as JSON, and reports those that the client did not cause. */
export function addErrorHandler(app: FastifyInstance, onFailure?: (error: unknown) => void): void {
  app.setErrorHandler(async (error: FastifyError | AppError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ error: error.message });
    onFailure?.(error);
    return reply.code(500).send({ error: "Internal server error" });
  });
}
`,
};

const CHANGES = [
  ["src/http/create-app.ts", "?? 15_000", "?? 5_000"],
  ["src/http/create-app.ts", "?? 60_000", "?? 30_000"],
  ["src/http/create-app.ts", "keepAliveTimeout: 10_000", "keepAliveTimeout: 5_000"],
  [
    "src/http/error-handler.ts",
    "export function",
    "// The response contains nothing from the request.\nexport function",
  ],
];

/** A comment on a changed line. */
export const SAMPLE_COMMENT = {
  path: "src/http/create-app.ts",
  line: lineOf(BEFORE["src/http/create-app.ts"], "keepAliveTimeout"),
  text: "Slow clients on bad lines need the ten seconds: what is the `5_000` based on?",
};

/** Creates the repository in a new folder `gateway` below `home`, and returns its path. */
export function sampleRepository(home) {
  const folder = join(home, "gateway");
  const write = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  write(BEFORE);
  git("init", "--quiet", "--initial-branch", "stricter-limits");
  git("add", ".");
  git("commit", "--quiet", "-m", "one");
  write(after());
  return folder;
}

function after() {
  const files = { ...BEFORE };
  for (const [name, from, to] of CHANGES) files[name] = files[name].replace(from, to);
  return files;
}

function lineOf(text, part) {
  return text.split("\n").findIndex((line) => line.includes(part)) + 1;
}

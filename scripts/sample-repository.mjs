// A small repository with changes under way, for pictures. It is no copy of this project's files, which go their own way.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const BEFORE = {
  "src/http/create-app.ts": `import Fastify, { type FastifyInstance } from "fastify";

export interface AppLimits {
  /** Bytes of a request body; more is 413. */
  readonly bodyLimit: number;
  /** Milliseconds until a request's headers must be whole. */
  readonly headersTimeout?: number;
  /** Milliseconds until a request must be whole, its body included. */
  readonly requestTimeout?: number;
}

/**
 * A server with the limits that every door of ours shares. Node needs all three timeouts: the one for the
 * whole request does nothing before the one for its headers has passed.
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

/** Answers every failure as JSON. The listener is told of those that are not the caller's. */
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
    "// Nothing of the request goes into the answer.\nexport function",
  ],
];

/** A line of the changed file that is worth a comment. */
export const SAMPLE_COMMENT = {
  path: "src/http/create-app.ts",
  line: lineOf(BEFORE["src/http/create-app.ts"], "keepAliveTimeout"),
  text: "Slow clients on bad lines need the ten seconds: what is the `5_000` based on?",
};

/** Makes the repository in a new folder `gateway` below `home`, and resolves to its path. */
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

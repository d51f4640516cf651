/**
 * The errors that Sallyport reports: one class and one catalog. `docs/reference/errors.md` lists the same codes; a test
 * keeps the two equal.
 */

/** Exit codes, described in docs/reference/command-line.md. */
export type ExitCode = 1 | 2 | 3 | 4;

interface CatalogEntry {
  /** HTTP status of the response. */
  readonly status: number;
  readonly exitCode: ExitCode;
  /** Description, for docs/reference/errors.md. */
  readonly meaning: string;
}

/** All error codes. */
export const errorCatalog = {
  internal: { status: 500, exitCode: 1, meaning: "An unexpected internal error. Nothing was decided." },
  usage: { status: 400, exitCode: 2, meaning: "A flag, argument or environment variable is invalid." },
  configuration: {
    status: 500,
    exitCode: 2,
    meaning: "The configuration is missing or invalid, or a file or service that it names cannot be used.",
  },
  input: { status: 400, exitCode: 2, meaning: "The plan is empty, or the input cannot be read or parsed." },
  port_in_use: { status: 500, exitCode: 3, meaning: "Another program uses the port." },
  cannot_listen: { status: 500, exitCode: 3, meaning: "The address or port cannot be bound." },
  not_a_repository: {
    status: 500,
    exitCode: 4,
    meaning:
      "The folder does not exist, is not inside a git working tree, or belongs to a user that git does not trust.",
  },
  git_missing: { status: 500, exitCode: 4, meaning: "git is not installed or not on the PATH." },
  git_failed: { status: 500, exitCode: 4, meaning: "git rejected a command or could not complete it." },
  vcs_missing: { status: 500, exitCode: 4, meaning: "jj or Sapling is not installed or not on the PATH." },
  vcs_failed: {
    status: 500,
    exitCode: 4,
    meaning: "jj or Sapling rejected a command or could not complete it.",
  },
  git_timeout: { status: 504, exitCode: 4, meaning: "git did not complete a command within the time limit." },
  validation: { status: 400, exitCode: 2, meaning: "A request body, query or file is invalid." },
  forbidden: {
    status: 403,
    exitCode: 1,
    meaning:
      "The request has a foreign `Host` or `Origin`, comes from another user, or has a key that does not permit it.",
  },
  not_found: { status: 404, exitCode: 1, meaning: "The file or resource does not exist." },
  conflict: {
    status: 409,
    exitCode: 2,
    meaning:
      "The request does not fit the current state, for example because a name is taken or the diff was reloaded.",
  },
  already_decided: { status: 409, exitCode: 1, meaning: "The review has already been decided or has ended." },
  another_plan: {
    status: 412,
    exitCode: 1,
    meaning: "The decision refers to a plan that is no longer under review at this address.",
  },
  another_review: {
    status: 412,
    exitCode: 1,
    meaning: "The feedback refers to a review that is no longer open at this address.",
  },
  ask_failed: {
    status: 502,
    exitCode: 1,
    meaning:
      "The model that `review.ask` names could not be reached, or returned an error or an invalid response.",
  },
  review_ended: {
    status: 502,
    exitCode: 1,
    meaning: "The process of a live review ended before it responded.",
  },
  media_type: {
    status: 415,
    exitCode: 1,
    meaning: "The route does not accept the body's content type or content encoding.",
  },
  too_large: {
    status: 413,
    exitCode: 1,
    meaning: "A request body, upload, file or response exceeds a limit of size or of JSON values.",
  },
  unreadable: { status: 500, exitCode: 1, meaning: "A file or folder cannot be read or written." },
  unauthorized: {
    status: 401,
    exitCode: 1,
    meaning: "The route requires a key or a token, and the request has no valid one.",
  },
  method_not_allowed: { status: 405, exitCode: 1, meaning: "The path does not support the method." },
  model_not_found: { status: 404, exitCode: 1, meaning: "No upstream of the proxy serves the model." },
  not_supported: {
    status: 501,
    exitCode: 1,
    meaning: "The proxy does not serve this operation of the Anthropic API.",
  },
  unsupported: {
    status: 400,
    exitCode: 1,
    meaning: "The upstream that serves the model does not support the operation or a part of the request.",
  },
  loop: { status: 508, exitCode: 1, meaning: "The proxy received a call that it had sent itself." },
  overloaded: {
    status: 503,
    exitCode: 1,
    meaning: "The proxy is starting or stopping, or has reached a limit of connections or memory.",
  },
  upstream_unreachable: {
    status: 502,
    exitCode: 1,
    meaning:
      "The proxy could not connect or sign in to the upstream, or `sallyport run` reached no proxy at `--url`.",
  },
  upstream_invalid: {
    status: 502,
    exitCode: 1,
    meaning: "The upstream returned an invalid response.",
  },
  upstream_error: {
    status: 502,
    exitCode: 1,
    meaning: "The upstream returned an error, or an error event in its stream.",
  },
  upstream_cut: { status: 502, exitCode: 1, meaning: "The upstream's response was incomplete." },
  upstream_timeout: {
    status: 504,
    exitCode: 1,
    meaning: "The upstream did not respond within the time limit.",
  },
  client_gone: {
    status: 499,
    exitCode: 1,
    meaning: "The client disconnected, or canceled the request, before the response was complete.",
  },
  workers_failed: {
    status: 500,
    exitCode: 1,
    meaning:
      "The worker processes (`--workers`) ended repeatedly, or have another version than the running proxy.",
  },
  rate_limited: {
    status: 429,
    exitCode: 1,
    meaning: "A key, its team or an upstream has reached a limit of requests, tokens or calls in flight.",
  },
  budget_exceeded: {
    status: 429,
    exitCode: 1,
    meaning: "The remaining budget of the key or its team is smaller than the maximum cost of the call.",
  },
  model_not_allowed: {
    status: 403,
    exitCode: 1,
    meaning: "The key may not call the model, or has a limit that cannot be enforced for the call.",
  },
  limits_unavailable: {
    status: 503,
    exitCode: 1,
    meaning: "Redis is unreachable, and `redis_failure` is `refuse`.",
  },
  database_unavailable: {
    status: 503,
    exitCode: 1,
    meaning: "PostgreSQL cannot be used. Model calls continue, and their usage is written later.",
  },
  keychain: {
    status: 500,
    exitCode: 2,
    meaning: "The system's keychain is missing or locked, or lacks a secret that the configuration names.",
  },
  service_failed: {
    status: 500,
    exitCode: 1,
    meaning: "The system's service manager is missing or rejected a command.",
  },
  upgrade_failed: {
    status: 500,
    exitCode: 1,
    meaning: "The newest version cannot be found or installed.",
  },
  forge_sign_in: {
    status: 502,
    exitCode: 2,
    meaning: "There is no sign-in for a forge, or the forge rejected it.",
  },
  forge_forbidden: {
    status: 403,
    exitCode: 2,
    meaning: "The sign-in does not permit the request at the forge.",
  },
  forge_not_found: {
    status: 404,
    exitCode: 2,
    meaning: "The pull request does not exist, or this sign-in may not read it.",
  },
  forge_pending: {
    status: 409,
    exitCode: 1,
    meaning:
      "The person has comments at the forge that are not submitted; a post would publish or discard them.",
  },
  forge_rejected: { status: 409, exitCode: 1, meaning: "The forge rejected the content of a request." },
  forge_rate_limited: { status: 429, exitCode: 1, meaning: "The forge limits the rate of requests." },
  forge_error: {
    status: 502,
    exitCode: 1,
    meaning: "The forge cannot be reached, failed, or returned an invalid response.",
  },
  storage: {
    status: 500,
    exitCode: 1,
    meaning: "Stored data cannot be read or written, or is locked by another process.",
  },
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof errorCatalog;

interface AppErrorOptions {
  /** The suggested fix. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Seconds after which the request may succeed. */
  readonly retryAfterSeconds?: number;
  /** Whether the same request can never succeed. */
  readonly isFinal?: boolean;
}

/** An error with a code of the catalog and a message for people. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isFinal: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isFinal = options.isFinal ?? false;
  }

  get status(): number {
    return errorCatalog[this.code].status;
  }

  get exitCode(): ExitCode {
    return errorCatalog[this.code].exitCode;
  }
}

/** Returns the `code` of a Node.js system error (`ENOENT`, `EADDRINUSE` …), or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns the message of a thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the frames of an error's stack with file names but without folders, which are those of the build machine.
 */
export function stackFrames({ stack = "" }: Error): readonly string[] {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) =>
      line.replace(/(?<=[\s(])(?:file:\/\/)?(?:[a-z]:)?[\\/](?:[^()\\/:]+[\\/])*(?=[^()\\/:]+:\d+)/gi, ""),
    );
}

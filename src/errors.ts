/**
 * Every failure the product can tell a person about: one class, one catalogue.
 * `docs/reference/errors.md` lists the same codes; a test keeps the two equal.
 */

/** How a process that failed for this reason ends: 1 anything else, 2 wrong usage or configuration, 3 nowhere to listen, 4 git. */
export type ExitCode = 1 | 2 | 3 | 4;

interface CatalogueEntry {
  /** HTTP status when the failure answers a request. */
  readonly status: number;
  /** Exit code when it ends the command. */
  readonly exitCode: ExitCode;
  /** What it means, for docs/reference/errors.md. */
  readonly meaning: string;
}

/** Every code there is. */
export const errorCatalogue = {
  internal: { status: 500, exitCode: 1, meaning: "A defect of sallyport itself; nothing was decided." },
  usage: { status: 400, exitCode: 2, meaning: "A flag, argument or environment variable is not usable." },
  configuration: { status: 500, exitCode: 2, meaning: "The configuration file is missing, broken or wrong." },
  input: { status: 400, exitCode: 2, meaning: "The plan is empty, or the input cannot be read." },
  port_in_use: { status: 500, exitCode: 3, meaning: "The port is taken by another program." },
  cannot_listen: { status: 500, exitCode: 3, meaning: "The address or port cannot be bound." },
  not_a_repository: { status: 500, exitCode: 4, meaning: "The folder is not inside a git repository." },
  git_missing: { status: 500, exitCode: 4, meaning: "git is not installed or not on the PATH." },
  git_failed: { status: 500, exitCode: 4, meaning: "git refused or could not finish a command." },
  git_timeout: { status: 504, exitCode: 4, meaning: "git did not finish a command within the time limit." },
  validation: { status: 400, exitCode: 2, meaning: "A request body, query or file is not acceptable." },
  forbidden: { status: 403, exitCode: 1, meaning: "The request came from a foreign page or host." },
  not_found: { status: 404, exitCode: 1, meaning: "The file or thing named does not exist." },
  already_decided: { status: 409, exitCode: 1, meaning: "The review has its decision already." },
  another_plan: {
    status: 412,
    exitCode: 1,
    meaning: "The decision is about a plan that is no longer under review at this address.",
  },
  another_review: {
    status: 412,
    exitCode: 1,
    meaning: "The feedback is about a review that is no longer the one at this address.",
  },
  media_type: {
    status: 415,
    exitCode: 1,
    meaning: "The body is of a type or in a coding that the route does not take.",
  },
  too_large: {
    status: 413,
    exitCode: 1,
    meaning: "The request body or upload is larger than allowed, or holds more JSON values.",
  },
  unreadable: { status: 500, exitCode: 1, meaning: "A file exists but cannot be read or written." },
  unauthorized: {
    status: 401,
    exitCode: 1,
    meaning: "A proxy route needs a key, and none that was sent is right.",
  },
  method_not_allowed: { status: 405, exitCode: 1, meaning: "The path exists, but not for this method." },
  model_not_found: { status: 404, exitCode: 1, meaning: "No upstream of the proxy serves the model." },
  unsupported: {
    status: 400,
    exitCode: 1,
    meaning: "The upstream that serves the model cannot do this operation.",
  },
  loop: { status: 508, exitCode: 1, meaning: "A call came back to the proxy that had sent it." },
  overloaded: { status: 503, exitCode: 1, meaning: "The proxy is stopping, or holds as much as it may." },
  upstream_unreachable: { status: 502, exitCode: 1, meaning: "An upstream could not be connected to." },
  upstream_invalid: {
    status: 502,
    exitCode: 1,
    meaning: "An upstream answered with something that is no answer.",
  },
  upstream_error: {
    status: 502,
    exitCode: 1,
    meaning: "An upstream answered with an error, or ended its stream with one.",
  },
  upstream_cut: { status: 502, exitCode: 1, meaning: "An upstream's answer broke off." },
  upstream_timeout: { status: 504, exitCode: 1, meaning: "An upstream was silent for longer than allowed." },
  client_gone: { status: 499, exitCode: 1, meaning: "The client left before its answer was complete." },
  workers_failed: {
    status: 500,
    exitCode: 1,
    meaning: "The processes that serve calls (`--workers`) end again and again.",
  },
  storage: { status: 500, exitCode: 1, meaning: "The data directory cannot be written." },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

interface AppErrorOptions {
  /** What the person can do next, in one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** A failure with a code of the catalogue and a message made for the person who reads it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get exitCode(): ExitCode {
    return errorCatalogue[this.code].exitCode;
  }
}

/** The `code` of a Node.js system error (`ENOENT`, `EADDRINUSE` …), or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

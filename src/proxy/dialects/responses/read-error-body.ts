import { isObject } from "../../exchange/json.ts";

/** The error of a response of the responses dialect whose status is not a success. */
export interface ResponseFailure {
  readonly code: string;
  /** Undefined if the body has none. */
  readonly message: string | undefined;
  readonly param: string | null;
}

/** Reads the body of an error response; a body of another form has only a code. */
export function readErrorBody(text: string): ResponseFailure {
  let error: unknown;
  try {
    const body: unknown = JSON.parse(text);
    error = isObject(body) ? body["error"] : undefined;
  } catch {
    // Not JSON: the status says what is known.
  }
  const { code, type, message, param } = isObject(error) ? error : {};
  return {
    code: String(code ?? type ?? "server_error"),
    message: typeof message === "string" ? message : undefined,
    param: typeof param === "string" ? param : null,
  };
}

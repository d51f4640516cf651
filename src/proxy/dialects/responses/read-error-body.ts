import { asObject, tryParseJson } from "../../exchange/json.ts";

/** The error in a response of this dialect that has an error status. */
export interface ResponseFailure {
  readonly code: string;
  /** Undefined if the body has no message. */
  readonly message: string | undefined;
  readonly param: string | null;
}

/** Parses the body of an error response. A body in another form yields the code `server_error` without a message. */
export function readErrorBody(text: string): ResponseFailure {
  const { code, type, message, param } = asObject(asObject(tryParseJson(text))["error"]);
  return {
    code: String(code ?? type ?? "server_error"),
    message: typeof message === "string" ? message : undefined,
    param: typeof param === "string" ? param : null,
  };
}

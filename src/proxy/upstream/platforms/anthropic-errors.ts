/** The values of `error.type` in Anthropic's API, by status. https://docs.anthropic.com/en/api/errors */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  424: "api_error",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Converts a platform's error to Anthropic's form. Returns undefined if the error already has this form. */
export function toAnthropicError(status: number, body: unknown): unknown {
  const { type, error, message, Message } = Object(body) as Record<string, unknown>;
  // Vertex AI returns Anthropic's own errors unchanged.
  if (type === "error") return undefined;
  const detail = Object(error) as Record<string, unknown>;
  const text = detail["message"] ?? message ?? Message ?? error ?? "The platform returned an error";
  return {
    type: "error",
    error: {
      type: TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error"),
      message: String(text),
    },
  };
}

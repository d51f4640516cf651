/**
 * Bedrock's exceptions by the type of Anthropic's error.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors
 */
const BY_TYPE: Readonly<Record<string, string>> = {
  invalid_request_error: "ValidationException",
  request_too_large: "ValidationException",
  authentication_error: "UnrecognizedClientException",
  permission_error: "AccessDeniedException",
  not_found_error: "ResourceNotFoundException",
  rate_limit_error: "ThrottlingException",
  // Clients repeat calls after a ThrottlingException, but not after this one.
  billing_error: "ServiceQuotaExceededException",
  timeout_error: "ModelTimeoutException",
  overloaded_error: "ServiceUnavailableException",
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
  504: "ModelTimeoutException",
  529: "ServiceUnavailableException",
};

/** Returns the exception of Amazon Bedrock for an error of Anthropic's API. */
export function toExceptionName(
  status: number,
  type: string,
  otherwise = status < 500 ? "ValidationException" : "InternalServerException",
): string {
  return BY_TYPE[type] ?? BY_STATUS[status] ?? otherwise;
}

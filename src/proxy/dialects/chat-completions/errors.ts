/** Parses errors, which have the same form as in completions. */
export { decodeError, decodeInnerError } from "../shared/openai-errors.ts";

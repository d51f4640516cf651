/** Parses errors, which have the same form as in chat-completions. */
export { decodeError, decodeInnerError } from "../shared/openai-errors.ts";

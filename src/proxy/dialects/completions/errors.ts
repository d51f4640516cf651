/** Parses errors, which have the same form as in chat-completions. */
export { decodeError } from "../shared/openai-errors.ts";

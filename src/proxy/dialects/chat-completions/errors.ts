/** Parses errors, which have the same form as in completions. */
export { decodeError } from "../shared/openai-errors.ts";

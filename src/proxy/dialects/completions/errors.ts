/** The dialect shares its errors with chat-completions. */
export { decodeError, encodeError } from "../shared/openai-errors.ts";

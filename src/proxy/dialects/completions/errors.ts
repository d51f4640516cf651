/** The dialect shares its errors with chat-completions. */
export { decodeError } from "../shared/openai-errors.ts";

/** The dialect shares its errors with completions. */
export { decodeError, encodeError } from "../shared/openai-errors.ts";

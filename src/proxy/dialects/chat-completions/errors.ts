/** The dialect shares its errors with completions. */
export { decodeError } from "../shared/openai-errors.ts";

import { createRedactor, type Redact, redactKeyShapes, redactOwnKeys } from "../redact.ts";
import { type Call, clientSecrets } from "./call.ts";

/**
 * Returns a function that redacts secrets in the content of a call: those of the configuration, the proxy's keys, what
 * the client has sent as credentials, and texts with the format of a key, a token or a private key.
 */
export function createContentRedactor({ runtime, request }: Call): Redact {
  const own = createRedactor(clientSecrets(request));
  return (text) => redactKeyShapes(redactOwnKeys(own(runtime.redact(text)), runtime.keys));
}

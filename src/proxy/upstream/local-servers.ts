import { Client } from "undici";
import { readText, sendUpstream } from "./send.ts";

/** Model servers that run on the user's machine, with their default ports. */
const KNOWN = [
  { name: "ollama", port: 11_434 },
  { name: "lmstudio", port: 1_234 },
  { name: "llamacpp", port: 8_080 },
] as const;

const RESPONSE_TIMEOUT_MS = 400;

/** Returns the servers that respond to `GET /v1/models` on loopback with a list of models. */
export async function findLocalServers(): Promise<{ name: string; baseUrl: string }[]> {
  const found = await Promise.all(
    KNOWN.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}`;
      return (await listsModels(name, baseUrl)) ? [{ name, baseUrl }] : [];
    }),
  );
  return found.flat();
}

async function listsModels(name: string, baseUrl: string): Promise<boolean> {
  const client = new Client(baseUrl, { connect: { timeout: RESPONSE_TIMEOUT_MS } });
  try {
    const response = await sendUpstream(client, name, {
      method: "GET",
      path: "/v1/models",
      headers: ["accept", "application/json"],
      body: null,
      firstByteMs: RESPONSE_TIMEOUT_MS,
      idleMs: RESPONSE_TIMEOUT_MS,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const list: unknown = JSON.parse(await readText(response, name));
    return response.status === 200 && Array.isArray((Object(list) as { data?: unknown }).data);
  } catch {
    return false;
  } finally {
    await client.destroy();
  }
}

import { type Bench, run, sallyport } from "./bench.ts";
import type { LoopClient } from "./loop-clients.ts";
import { startProxy } from "./proxy.ts";

/**
 * Starts a proxy with these upstreams and rules, and connects the agent to it only by `proxy connect`, as a person
 * would. Resolves to the additional variables that the agent's shell needs.
 */
export async function connect(
  bench: Bench,
  client: LoopClient,
  proxy: { readonly upstreams: object; readonly models: readonly object[] },
): Promise<Record<string, string>> {
  await startProxy(bench, {
    port: Number(new URL(bench.reviewUrl).port) + 1000,
    auth_mode: "strict",
    api_keys: ["sk-for-clients-0123456789"],
    ...proxy,
  });
  await client.prepare(bench);
  const connected = await run(bench, [...sallyport, "proxy", "connect", client.agent, "--yes"]);
  if (connected.code !== 0) throw new Error(connected.stderr);
  const printed = connected.stdout.matchAll(/^export (\w+)='([^']*)'$/gm);
  return Object.fromEntries([...printed].map(([, name, value]) => [name, value]));
}

import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const CANARIES = {
  proxyKey: "sk-canary-proxy-key-0001",
  upstreamKey: "sk-canary-upstream-key-0002",
  environmentKey: "sk-canary-environment-key-0003",
  configuredHeader: "canary-configured-header-0004",
  clientKey: "sk-canary-client-key-0006",
  queryKey: "sk-canary-query-key-0007",
  cookie: "canary-cookie-0008",
  prompt: "canary-prompt-0009",
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

it("P5 the built proxy writes no secret to output, log or any file but the configuration", async () => {
  const own = [CANARIES.proxyKey, CANARIES.upstreamKey, CANARIES.environmentKey, CANARIES.configuredHeader];
  const leaks = own.join(" ");
  const upstream = await startFakeUpstream(
    json({ error: { message: `Incorrect API key provided: ${leaks}` } }, 401),
  );
  onTestFinished(() => upstream.close());
  const folder = await sandbox();
  await mkdir(join(folder, "configuration"));
  const file = join(folder, "configuration", "config.json");
  const base = { base_url: upstream.url, headers: { "x-team-token": CANARIES.configuredHeader } };
  const proxy = {
    auth_mode: "strict",
    api_keys: [CANARIES.proxyKey],
    upstreams: {
      a: { dialect: "messages", ...base, api_key: CANARIES.upstreamKey, models: ["m"] },
      b: { dialect: "chat-completions", ...base, api_key_env: "CANARY_KEY", models: ["n"] },
    },
  };
  await writeFile(file, JSON.stringify({ proxy }));
  const port = await quietPort();
  const environment = { CANARY_KEY: CANARIES.environmentKey };
  const command = await startCommand(["proxy", "start", "--config", file, "--port", String(port)], {
    folder,
    environment,
  });
  await command.waitForOutput(/Proxy listening/);
  const responses: string[] = [];
  for (const [path, model] of [
    ["/v1/messages", "m"],
    ["/v1/messages", "n"],
    ["/v1/chat/completions", "n"],
    ["/none", "m"],
  ] as const)
    for (const key of [CANARIES.proxyKey, CANARIES.clientKey]) {
      const response = await fetch(`http://127.0.0.1:${port}${path}?key=${CANARIES.queryKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key, cookie: CANARIES.cookie },
        body: JSON.stringify({
          model,
          max_tokens: 1,
          messages: [{ role: "user", content: CANARIES.prompt }],
        }),
      });
      responses.push(JSON.stringify([...response.headers]), await response.text());
    }
  const check = await startCommand(["proxy", "check", "--config", file], { folder, environment });
  const checked = await check.ended;
  // Writes a configuration with an invalid `auth_mode`; the error must not quote the rest of the file.
  await writeFile(file, JSON.stringify({ proxy: { ...proxy, auth_mode: "wrong" } }));
  await command.waitForOutput(/previous one stays/);
  command.child.kill("SIGTERM");
  const { stdout, stderr } = await command.ended;
  const written = filesUnder(folder).filter((path) => path !== file);
  expect(written.length).toBeGreaterThan(0);
  for (const text of [
    stdout,
    stderr,
    checked.stdout,
    checked.stderr,
    responses.join("\n"),
    ...written.map((path) => readFileSync(path, "utf8")),
  ])
    for (const secret of own) expect(text).not.toContain(secret);
  for (const text of [stdout, stderr, ...written.map((path) => readFileSync(path, "utf8"))])
    for (const secret of [CANARIES.clientKey, CANARIES.queryKey, CANARIES.cookie, CANARIES.prompt])
      expect(text).not.toContain(secret);
  const sent = JSON.stringify(upstream.hits.map(({ url, rawHeaders }) => [url, rawHeaders]));
  for (const secret of [CANARIES.proxyKey, CANARIES.clientKey, CANARIES.queryKey, CANARIES.cookie])
    expect(sent).not.toContain(secret);
});

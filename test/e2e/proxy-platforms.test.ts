import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { json, type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};

async function start(respond: Respond) {
  const fake = await startFakeUpstream(respond);
  onTestFinished(fake.close);
  return fake;
}

describe("the built proxy with cloud platforms", () => {
  it("signs in to each with what the machine offers, and calls it", async () => {
    const folder = await sandbox();
    const metadata = await start((hit, response) => {
      const aws = {
        AccessKeyId: "ASIAMACHINE",
        SecretAccessKey: "machine-secret",
        Token: "machine-session",
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      };
      const token = { access_token: "machine-token", expires_in: 3600 };
      return json(hit.url.startsWith("/aws") ? aws : token)(hit, response);
    });
    const cloud = await start((hit, response) => {
      if (hit.url.startsWith("/model/")) return json(message)(hit, response);
      const text = hit.url.includes(":streamRawPredict")
        ? `event: message_stop\ndata: {"type":"message_stop"}\n\n`
        : JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "Hello" } }] });
      return response.end(text);
    });
    const config = join(folder, "proxy.json");
    const base_url = cloud.url;
    const upstreams = {
      aws: { vendor: "bedrock", base_url, aws: { region: "eu-west-3" } },
      gcp: { vendor: "vertex", dialect: "messages", base_url, google: { project: "acme" } },
      azure: { vendor: "azure", base_url },
    };
    await writeFile(config, JSON.stringify({ proxy: { port: await quietPort(), upstreams } }));
    const command = await startCommand(["proxy", "start", "--config", config], {
      folder,
      environment: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${metadata.url}/aws`,
        AWS_EC2_METADATA_DISABLED: "true",
        GCE_METADATA_HOST: metadata.url.replace("http://", ""),
        AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url,
      },
    });
    const [, url] = await command.waitForOutput(/(http:\/\/(?:127\.0\.0\.1|localhost):\d+)/);
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const hi = { max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
    const bedrock = await post("/v1/messages", { model: `aws/${CLAUDE}`, ...hi });
    expect([bedrock.status, await bedrock.json()]).toEqual([200, message]);
    await post("/v1/messages", { model: "gcp/claude-sonnet-4-5", stream: true, ...hi });
    await post("/v1/chat/completions", { model: "azure/gpt-5", messages: hi.messages });
    expect(cloud.hits.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [
        `/model/${encodeURIComponent(CLAUDE)}/invoke`,
        expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=ASIAMACHINE\/\d+\/eu-west-3\/bedrock\/aws4_request/,
        ),
      ],
      [expect.stringContaining("/claude-sonnet-4-5:streamRawPredict"), "Bearer machine-token"],
      ["/openai/v1/chat/completions", "Bearer machine-token"],
    ]);
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { proxyClientNamed } from "../../../../src/agents/registry.ts";
import { connectionTo } from "../../../../src/cli/proxy/connect/connection.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

async function connectTo(upstream: Readonly<Record<string, unknown>>, id = "claude-code") {
  const config = join(await temporaryFolder(), "config.json");
  const proxy = { auth_mode: "strict", api_keys: ["sk-0123456789"], upstreams: { vendor: upstream } };
  await writeFile(config, JSON.stringify({ proxy }));
  const { name, proxy: client } = proxyClientNamed(id);
  return connectionTo({ config }, { name, ...(await client.load()) });
}

describe("the connection of a client", () => {
  it("keeps the client's login for an upstream with credentials: \"client\" of its vendor's first dialect", async () => {
    expect(await connectTo({ vendor: "anthropic", credentials: "client" })).toMatchObject({ ownLogin: true });
    expect(await connectTo({ vendor: "minimax", credentials: "client" })).toMatchObject({ ownLogin: true });
  });

  it("replaces the login for an upstream with a key, or of another dialect", async () => {
    expect(await connectTo({ vendor: "anthropic", api_key: "k" })).toMatchObject({ ownLogin: false });
    expect(await connectTo({ vendor: "openai", credentials: "client" })).toMatchObject({ ownLogin: false });
    expect(
      await connectTo({ vendor: "minimax", dialect: "chat-completions", credentials: "client" }),
    ).toMatchObject({ ownLogin: false });
  });
});

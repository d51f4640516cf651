import type { FastifyReply, FastifyRequest } from "fastify";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { Services } from "../services.ts";
import type { McpHub } from "./gateway/mcp-hub.ts";
import { McpTokens } from "./oauth/mcp-tokens.ts";
import { createPoolFetch } from "./oauth/pool-fetch.ts";

/** The endpoint that serves all MCP servers together. */
export interface McpGateway {
  serve(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The tokens of servers that require a sign-in. */
  readonly tokens: McpTokens;
  /** Starts and stops programs so that they match a configuration. */
  apply(config: ProxyConfig): void;
  close(): Promise<void>;
}

interface GatewayParts {
  readonly services: Services;
  readonly note: (line: string) => void;
}

/** Creates the gateway. Its code is loaded on the first request, or when the configuration contains a program. */
export function createMcpGateway({ services, note }: GatewayParts): McpGateway {
  let loading: Promise<McpHub> | undefined;
  let isClosed = false;
  const tokens = new McpTokens(createPoolFetch(services.pools));
  const load = async (): Promise<McpHub> => {
    const { McpHub } = await import("./gateway/mcp-hub.ts");
    const { pools, runtime, instanceId, version } = services;
    return new McpHub({ pools, runtime, instanceId, version, note, tokens });
  };
  return {
    tokens,
    async serve(request, reply) {
      const { serveMcpGateway } = await import("./gateway/serve-gateway.ts");
      loading ??= load();
      await serveMcpGateway(request, reply, services, await loading);
    },
    apply(config) {
      const hasPrograms = [...config.mcp.values()].some(({ program }) => program !== undefined);
      if (loading === undefined && !hasPrograms) return;
      loading ??= load();
      void loading.then((hub) => {
        if (!isClosed) hub.apply(services.runtime().config);
      });
    },
    async close() {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}

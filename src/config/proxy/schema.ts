import { isIP } from "node:net";
import { z } from "zod";
import { storageSettings } from "./database-location.ts";
import { keyAccess, queueSchema, redisFailureSchema, routingMembers, unpricedSchema } from "./limits.ts";
import { mcpGatewaySettings, mcpServersSettings } from "./mcp-schema.ts";
import { modelDataSettings } from "./model-data.ts";
import { otelSettings } from "./otel.ts";
import { tlsSettings } from "./tls.ts";
import { upstreamSchema } from "./upstream-schema.ts";
import { headerName, httpUrl, type SecretSettings, secretSource } from "./value-schemas.ts";

/**
 * The `proxy` section of the configuration file. `docs/reference/proxy.md` describes it, and `proxy check
 * --json-schema` prints it for editors. Keys are snake_case, except those of `capabilities`. Times are in seconds,
 * except retention, which is in days; sizes are in bytes. Unknown keys are errors, so that a misspelled key is not
 * ignored.
 */

/** Each worker takes about 100 MB, so a larger number is probably a mistake. */
const MAX_WORKERS = 128;

const text = z.string().min(1);
const seconds = z.number().min(0);
/**
 * A host name or pattern. A pattern that matches every name is rejected, because it would permit DNS
 * rebinding.
 */
const hostPattern = z
  .string()
  .regex(
    /^(?=.*[A-Za-z0-9])[A-Za-z0-9*?._-]+$/,
    "must be a host name without scheme and port, such as llm.example.com or *.svc.cluster.local",
  );
const addressRange = z
  .string()
  .refine(isAddressRange, "must be an IP address or a CIDR range, such as 10.0.0.0/8");

const timeouts = z.strictObject({
  connect: seconds.default(10).describe("Time limit for connecting to the upstream."),
  first_byte: seconds.default(600).describe("Time limit until the upstream's response begins; 0: no limit."),
  idle: seconds.default(600).describe("Time limit of silence within a response; 0: no limit."),
  total: seconds.default(0).describe("Time limit of a whole call; 0: no limit."),
  ping: seconds.default(15).describe("Silence before a keep-alive is sent to the client; 0: no keep-alives."),
});
const weightedTarget = z.strictObject({
  upstream: text.describe("An upstream, or NAME/model."),
  weight: z
    .number()
    .positive()
    .describe("Its share of the rule's sessions and calls; replaces the upstream's own weight."),
});

const modelRule = z.strictObject({
  match: text.describe("Pattern of the model name; `*` stands for any characters, `?` for one."),
  upstream: z
    .union([text, z.array(z.union([text, weightedTarget])).min(1)], {
      error:
        'must be the name of an upstream, or a list of names and of {"upstream": NAME, "weight": NUMBER}',
    })
    .describe(
      "Upstreams, tried in the order that `strategy` sets; NAME/model sets the model name there, an object the weight.",
    ),
  model: text.optional().describe("The model name at the upstream; default: the client's."),
  ...routingMembers,
  when: z
    .strictObject({
      request_class: text.optional().describe("Value of the header `x-claude-code-request-class`."),
      min_tokens: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("Minimum tokens of the request, estimated."),
      has_image: z.boolean().optional(),
      has_tools: z.boolean().optional(),
      header: z.record(headerName, text).optional().describe("Header name to pattern."),
    })
    .optional(),
});

const apiKey = z.union(
  [
    text,
    z.strictObject({ name: text, key_env: text, ...keyAccess }),
    z.strictObject({
      name: text,
      ...keyAccess,
      sha256: z.string().regex(/^[0-9a-f]{64}$/i, "is not 64 hexadecimal digits"),
    }),
  ],
  { error: "must be a string, { name, key_env } or { name, sha256 } with 64 hexadecimal digits" },
);

function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

export const DEFAULT_PROXY_PORT = 8045;

/** The `proxy` section. */
export const proxySchema = z.strictObject({
  port: z.number().int().min(1).max(65_535).default(DEFAULT_PROXY_PORT),
  host: text.optional().describe("Address to bind; default: 127.0.0.1, or 0.0.0.0 with allow_lan_access."),
  workers: z
    .union([z.number().int().min(1).max(MAX_WORKERS), z.literal("auto")], {
      error: `must be a whole number from 1 to ${MAX_WORKERS}, or "auto" for one on each core`,
    })
    .default(1)
    .describe("Number of processes that serve calls; more than one helps only if one core is fully used."),
  auth_mode: z.enum(["off", "strict", "all_except_health", "auto"]).default("auto"),
  allow_lan_access: z.boolean().default(false),
  api_keys: z.array(apiKey).default([]),
  allowed_origins: z.array(z.url()).default([]).describe("Origins of web pages that may call, with CORS."),
  hostnames: z
    .array(hostPattern)
    .default([])
    .describe("Further allowed Host names for requests without a key; `*` stands for any characters."),
  trusted_proxies: z
    .array(addressRange)
    .default([])
    .describe("Addresses or CIDR ranges of load balancers whose X-Forwarded-* headers are trusted."),
  public_url: httpUrl.optional().describe("The URL that clients use, such as a load balancer's."),
  tls: tlsSettings,
  upstreams: z
    .record(z.string().regex(/^[A-Za-z0-9._-]+$/, "may have letters, digits, . _ -"), upstreamSchema)
    .optional(),
  models: z.array(modelRule).default([]),
  mcp: mcpServersSettings,
  mcp_gateway: mcpGatewaySettings,
  timeouts: timeouts.prefault({}),
  limits: z
    .strictObject({
      body: z
        .number()
        .int()
        .positive()
        .default(64 * 1024 * 1024),
      utility_body: z
        .number()
        .int()
        .positive()
        .default(1024 * 1024),
      in_flight: z
        .number()
        .int()
        .positive()
        .default(512 * 1024 * 1024)
        .describe("Total size of request bodies in memory."),
      connections: z.number().int().positive().default(4096),
    })
    .prefault({}),
  logging: z
    .strictObject({
      requests: z
        .boolean()
        .default(true)
        .describe("Metadata of each call, one JSON object per line; never bodies."),
      max_file: z
        .number()
        .int()
        .min(4096)
        .default(10 * 1024 * 1024),
      files: z.number().int().min(1).max(100).default(5),
      to: z
        .enum(["file", "stdout"])
        .default("file")
        .describe("`stdout` writes the lines to standard output, for containers."),
    })
    .prefault({}),
  drain_delay: seconds
    .default(0)
    .describe("Seconds from SIGTERM or SIGINT, when /readyz turns 503, until the listener closes."),
  drain_timeout: seconds
    .default(30)
    .describe("Seconds for running calls to finish after the listener has closed; 0: no limit."),
  ...storageSettings,
  otel: otelSettings,
  model_data: modelDataSettings,
  redis: z
    .union([text, secretSource])
    .optional()
    .describe("Where replicas share limits and cooldowns: a redis:// or rediss:// URL, its source, or none."),
  redis_env: text.optional().describe("The environment variable that holds Redis's URL."),
  redis_failure: redisFailureSchema,
  queue: queueSchema,
  unpriced: unpricedSchema,
  managed_settings: z
    .record(z.string(), z.json())
    .optional()
    .describe("Settings that Claude Code fetches from /managed/settings and applies to every user."),
  remember_thinking: z
    .boolean()
    .default(true)
    .describe("Keep signed thinking by tool call, for clients that do not send it back."),
  responses_done: z
    .boolean()
    .default(false)
    .describe("End event streams of the responses dialect with `data: [DONE]`, as Open Responses requires."),
  strict_translation: z
    .boolean()
    .default(false)
    .describe("Reject calls that cannot be translated without loss."),
});

/** The schema of the whole file, of which only this section is parsed here. */
export const fileSchema = z.strictObject({
  $schema: z.unknown().optional(),
  review: z.unknown().optional(),
  proxy: proxySchema.prefault({}),
});

export type { SecretSettings };
export type ProxySettings = z.infer<typeof proxySchema>;

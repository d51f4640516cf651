import { isIP } from "node:net";
import { z } from "zod";
import { upstreamDialects } from "../../proxy/dialects/index.ts";
import { capabilityOverrideSchema } from "./capability-override.ts";

/**
 * The `proxy` section of the configuration file. `docs/reference/proxy.md` explains it, `proxy check --json-schema` prints it
 * for editors. Keys are snake_case, times are seconds, sizes bytes. Unknown keys are refused, so that a typing error
 * is not taken for a default.
 */

/** More are a typing error: each takes some 100 MB. */
const MOST_WORKERS = 128;

const text = z.string().min(1);
const seconds = z.number().min(0);
const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? "is missing" : "must be an http or https URL"),
  })
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "must not hold a password: say it in headers");
/** A name, or a pattern of names; one that fits every name would let pages rebind DNS. */
const hostPattern = z
  .string()
  .regex(
    /^(?=.*[A-Za-z0-9])[A-Za-z0-9*?._-]+$/,
    "must be a host name without scheme and port, such as llm.example.com or *.svc.cluster.local",
  );
const addressRange = z
  .string()
  .refine(isAddressRange, "must be an IP address or a CIDR range, such as 10.0.0.0/8");
/** What can stand in a header, and so in a request at all. */
const carried = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must not hold line breaks or characters beyond Latin-1");
const keyText = carried.min(1);
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a header name");
/** A text, or where it is to be read from. */
const secretSource = z.union(
  [
    z.strictObject({ env: text.describe("An environment variable.") }),
    z.strictObject({ file: text.describe("A file, read again when it changes.") }),
    z.strictObject({
      command: z
        .union([text, z.array(text).min(1)])
        .describe("Prints the secret: a text for the shell, or a program with its parameters."),
      ttl: z.number().positive().optional().describe("Seconds until it is run again."),
    }),
  ],
  { error: "must be a text, { env }, { file } or { command, ttl }" },
);
const headers = z.record(headerName, z.union([carried, secretSource]));
const keySecret = z.union([keyText, secretSource]);

const timeouts = z.strictObject({
  connect: seconds.default(10).describe("To be connected to the upstream."),
  first_byte: seconds.default(600).describe("Until the upstream's answer begins; 0 for no limit."),
  idle: seconds.default(600).describe("Of silence within an answer; 0 for no limit."),
  ping: seconds.default(15).describe("Of silence until a keep-alive is sent to the client; 0 for none."),
});
const ownTimeouts = z.strictObject({
  connect: seconds.optional(),
  first_byte: seconds.optional(),
  idle: seconds.optional(),
});

const dollars = z.number().min(0);
const tokenPrices = {
  input: dollars.describe("Of input tokens that no cache gave or took."),
  cache_read: dollars.optional().describe("Of tokens that a cache gave; as input unless said."),
  cache_write: dollars.optional().describe("Of tokens that a cache took; as input unless said."),
  cache_write_hour: dollars.optional().describe("Of tokens that a cache keeps for an hour."),
  output: dollars,
};
const modelPrice = z.strictObject({
  ...tokenPrices,
  long_prompt: z
    .strictObject({ above: z.number().int().positive(), ...tokenPrices })
    .optional()
    .describe("For the whole call where its input is longer than `above` tokens."),
});

const upstream = z
  .strictObject({
    dialect: z.enum(upstreamDialects),
    base_url: httpUrl.describe(
      "The version segment (/v1, /v1beta) is added where it is missing, unless the URL ends in / or in an operation.",
    ),
    version: z
      .boolean()
      .default(true)
      .describe("`false` takes `base_url` as it is, without adding a version segment."),
    api_key: keySecret.optional(),
    api_key_env: text.optional().describe("The environment variable that holds the key."),
    api_keys: z
      .array(keySecret)
      .min(1)
      .optional()
      .describe(
        "A session keeps to one, other calls take turns; one that is refused or limited is asked last.",
      ),
    credentials: z
      .enum(["config", "client"])
      .default("config")
      .describe("`client` forwards the client's own key instead, to same-dialect clients."),
    headers: headers.default({}).describe("Sent with every call."),
    forward_headers: z
      .array(headerName)
      .default([])
      .describe("Client headers that go along besides those of the vendors, where other machines may call."),
    models: z.array(text).optional().describe("What it serves; asked of the upstream unless said."),
    capabilities: z.record(text, capabilityOverrideSchema).default({}).describe("By model pattern."),
    prices: z
      .record(text, modelPrice)
      .default({})
      .describe("US dollars for a million tokens, by model pattern, instead of what vendors list."),
    timeouts: ownTimeouts.default({}).describe("Instead of the proxy's."),
    weight: z
      .number()
      .positive()
      .optional()
      .describe("Its share of sessions and calls where a rule names several; else their order decides."),
  })
  .refine((value) => [value.api_key, value.api_key_env, value.api_keys].filter(Boolean).length <= 1, {
    error: "give one of api_key, api_key_env and api_keys",
  });

const modelRule = z.strictObject({
  match: text.describe("The model's name; `*` stands for any characters, `?` for one."),
  upstream: z
    .union([text, z.array(text).min(1)], { error: "must be the name of an upstream, or a list of names" })
    .describe(
      "Several are asked in their order until one answers; NAME/model where it has another name there.",
    ),
  model: text.optional().describe("The name at the upstream; the client's unless said."),
  when: z
    .strictObject({
      request_class: text.optional().describe("The client's own `x-claude-code-request-class`."),
      min_tokens: z.number().int().positive().optional().describe("Of the request, as estimated."),
      has_image: z.boolean().optional(),
      has_tools: z.boolean().optional(),
      header: z.record(headerName, text).optional().describe("Header name to pattern."),
    })
    .optional(),
});

const mcpServer = z.strictObject({
  enabled: z.boolean().default(true),
  url: httpUrl,
  headers: headers.default({}),
  header_env: z.record(headerName, text).default({}).describe("Header name to environment variable."),
});

const apiKey = z.union(
  [
    text,
    z.strictObject({ name: text, key_env: text }),
    z.strictObject({
      name: text,
      sha256: z.string().regex(/^[0-9a-f]{64}$/i, "is not 64 hexadecimal digits"),
    }),
  ],
  { error: "must be a text, { name, key_env } or { name, sha256 } with 64 hexadecimal digits" },
);

function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** Where the proxy listens unless it is told otherwise. */
export const DEFAULT_PROXY_PORT = 8045;

/** The section itself; times are seconds, sizes bytes. */
export const proxySchema = z.strictObject({
  port: z.number().int().min(1).max(65_535).default(DEFAULT_PROXY_PORT),
  host: text.optional().describe("The address to bind; 127.0.0.1, or 0.0.0.0 with allow_lan_access."),
  workers: z
    .union([z.number().int().min(1).max(MOST_WORKERS), z.literal("auto")], {
      error: `must be a whole number from 1 to ${MOST_WORKERS}, or "auto" for one on each core`,
    })
    .default(1)
    .describe("Processes that serve; more than one only pay where one core is full."),
  auth_mode: z.enum(["off", "strict", "all_except_health", "auto"]).default("auto"),
  allow_lan_access: z.boolean().default(false),
  api_keys: z.array(apiKey).default([]),
  allowed_origins: z.array(z.url()).default([]).describe("Web pages that may call, with CORS."),
  hostnames: z
    .array(hostPattern)
    .default([])
    .describe("Further names that the proxy answers to without a key; `*` stands for any characters."),
  trusted_proxies: z
    .array(addressRange)
    .default([])
    .describe("Addresses or CIDR ranges of load balancers whose X-Forwarded-… headers count."),
  public_url: httpUrl.optional().describe("The address that clients use, such as a load balancer's."),
  upstreams: z
    .record(z.string().regex(/^[A-Za-z0-9._-]+$/, "may have letters, digits, . _ -"), upstream)
    .optional(),
  models: z.array(modelRule).default([]),
  mcp: z
    .record(z.string().regex(/^[A-Za-z0-9._-]+$/, "may have letters, digits, . _ -"), mcpServer)
    .default({}),
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
        .describe("Of request bodies held at once."),
      connections: z.number().int().positive().default(4096),
    })
    .prefault({}),
  logging: z
    .strictObject({
      requests: z
        .boolean()
        .default(true)
        .describe("Metadata of each call, one JSON value a line; never bodies."),
      max_file: z
        .number()
        .int()
        .min(4096)
        .default(10 * 1024 * 1024),
      files: z.number().int().min(1).max(100).default(5),
      to: z
        .enum(["file", "stdout"])
        .default("file")
        .describe("`stdout` writes the lines to standard output, as containers want them."),
    })
    .prefault({}),
  drain_delay: seconds
    .default(0)
    .describe("From SIGTERM, which makes /readyz answer 503, until the listener closes."),
  drain_timeout: seconds
    .default(30)
    .describe("That running calls may take to end after the listener has closed; 0 for no limit."),
  store: z.literal("memory").default("memory"),
  strict_translation: z
    .boolean()
    .default(false)
    .describe("Refuse calls that cannot be translated without loss."),
});

/** The file as a whole, of which only this section is looked at. */
export const fileSchema = z.strictObject({
  $schema: z.unknown().optional(),
  review: z.unknown().optional(),
  proxy: proxySchema.prefault({}),
});

export type ProxySettings = z.infer<typeof proxySchema>;
export type SecretSettings = z.infer<typeof keySecret>;
export type UpstreamSettings = z.infer<typeof upstream>;
export type PriceSettings = z.infer<typeof modelPrice>;

import { z } from "zod";
import { headerName, headersSchema, httpUrl, keySecret, secretSource } from "./value-schemas.ts";

const text = z.string().min(1);

const mcpServer = z
  .strictObject({
    enabled: z.boolean().default(true),
    url: httpUrl.optional().describe("The server's address (streamable HTTP)."),
    command: text.optional().describe("The program that the proxy starts as a server over stdin and stdout."),
    args: z.array(z.string()).default([]).describe("Arguments of `command`."),
    env: z
      .record(text, z.union([z.string(), secretSource]))
      .default({})
      .describe(
        "The environment of `command`, which gets only these variables, `inherit_env` and, on Windows, SystemRoot.",
      ),
    inherit_env: z
      .array(text)
      .default([])
      .describe("Variables that `command` takes from the proxy's environment, such as PATH."),
    cwd: text.optional().describe("The folder in which `command` starts; default: that of the proxy."),
    client_requests: z
      .boolean()
      .default(false)
      .describe(
        "Whether `command` may request completions, input and roots from a client. The proxy forwards a request only while all running calls belong to the same client.",
      ),
    headers: headersSchema.default({}),
    header_env: z.record(headerName, text).default({}).describe("Header name to environment variable."),
    oauth: z
      .union([
        z.literal(true),
        z.strictObject({
          client_id: text.optional().describe("A registered client; default: the proxy registers one."),
          client_secret: keySecret.optional(),
          scope: text.optional().describe("The scopes to request; default: those that the server names."),
          redirect_port: z
            .number()
            .int()
            .min(1)
            .max(65_535)
            .optional()
            .describe(
              "The port of the registered redirect URI http://127.0.0.1:PORT/callback; default: any.",
            ),
        }),
      ])
      .optional()
      .describe("The server requires a sign-in by OAuth: `sallyport proxy mcp login NAME`."),
    prefix: z
      .string()
      .max(64)
      .optional()
      .describe("Precedes the server's names at /mcp; default: its name; empty: no prefix."),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
    error: "needs either url or command",
  })
  .refine(({ url, oauth }) => oauth === undefined || url !== undefined, { error: "oauth needs a url" });

const gateway = z.strictObject({
  list_timeout: z
    .number()
    .positive()
    .max(60)
    .default(3)
    .describe(
      "Seconds for which a list waits for a server. After that, it contains the server's last known items, if any.",
    ),
  page_size: z.number().int().positive().max(10_000).default(500).describe("Items on a page of a list."),
});

export const mcpServersSettings = z
  .record(z.string().regex(/^[A-Za-z0-9._-]+$/, "may have letters, digits, . _ -"), mcpServer)
  .default({});

export const mcpGatewaySettings = gateway
  .prefault({})
  .describe("The endpoint /mcp, which serves all MCP servers together.");

// Generates the API references from the code: OpenAPI documents, and Markdown pages of the same routes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { packageVersion, root } from "../bundle.mjs";
import { describeReviewApi, listPathParameters } from "./review-api.mjs";

/**
 * Returns the pages of the review server, of the admin API, of the API for a key's owner, and of the proxy's routes.
 */
export async function createApiPages() {
  const { openApiDocument, adminRoutes, ownRoutes, routes } = await importSources();
  const version = packageVersion();
  const admin = openApiDocument({ path: "/api/admin/v1", title: "Admin API", routes: adminRoutes }, version);
  const own = openApiDocument(
    { path: "/api/me/v1", title: "API of a key's owner", routes: ownRoutes },
    version,
  );
  return [
    createPage("review", describeReviewApi(version), REVIEW_TEXT),
    createPage("admin", admin, "Requires an admin key. [How to create keys](../reference/gateway.md)."),
    createPage("own", own, "Returns the calls and limits of one key. Requires that key."),
    createPage("proxy", describeProxy(routes, version), PROXY_TEXT),
  ];
}

const REVIEW_TEXT = `The review server serves these routes at the URL that the command prints. [Review server
API](../reference/review-api.md) describes the callers that each route accepts, and the routes that the specification
guarantees.`;

const PROXY_TEXT = `Every route that the proxy serves, with the dialect of its errors. Routes that accept further methods
are listed with GET and POST. The vendors' own references describe the bodies of model calls;
[Proxy](../reference/proxy.md) describes what the proxy adds.`;

/** Summaries of the operations, for the list of the proxy's routes. */
const OPERATIONS = {
  generate: "Generates text",
  "by-method": "Calls the method that the path ends with",
  embed: "Embeds texts",
  "count-tokens": "Counts tokens",
  "image-generation": "Generates images",
  "image-edit": "Edits images",
  transcription: "Transcribes audio",
  compact: "Compacts a conversation",
  "stored-response": "Returns, cancels or deletes a stored response, or returns its input",
  websocket: "Opens a WebSocket for responses",
  "list-models": "Lists models",
  "get-model": "Returns a model",
  detect: "Returns the dialect and the upstream of a model",
  warmup: "Opens connections to upstreams, or sends them the smallest call of a model",
  telemetry: "Discards a client's telemetry",
  otlp: "Relays or discards OTLP telemetry",
  health: "Returns whether the process runs",
  readiness: "Returns whether the proxy accepts calls",
  metrics: "Returns metrics for Prometheus",
  mcp: "Relays to an MCP server",
  hello: "Responds with status 200",
  "managed-settings": "Returns the proxy's settings for Claude Code",
  "key-usage": "Returns how much of a key's budgets is used",
  home: "Returns the dashboard",
  "dashboard-events": "Streams changes to the dashboard",
  admin: "Admin API",
  own: "API of a key's owner",
  realtime: "Relays a WebSocket of the Realtime API or the Live API",
  "pass-through": "Relays a call of another API to an upstream of the client's vendor",
  "bedrock-client": "Calls a model, or counts tokens, in the format of Claude on Amazon Bedrock",
  "vertex-client": "Calls a model, or counts tokens, in the format of Claude on Google Vertex AI",
};

/** Bundles the modules that define the routes, and imports them. */
async function importSources() {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-docs-"));
  const file = join(folder, "sources.mjs");
  const sources = [
    "gateway/admin-openapi.ts",
    "gateway/admin-routes.ts",
    "gateway/own-routes.ts",
    "routes.ts",
  ];
  const entry = sources
    .map((name) => `export * from ${JSON.stringify(resolve(root, "src/proxy", name))};`)
    .join("\n");
  try {
    await build({
      input: "sources",
      platform: "node",
      logLevel: "warn",
      plugins: [
        {
          name: "sources",
          resolveId: (id) => (id === "sources" ? "\0sources" : undefined),
          load: (id) => (id === "\0sources" ? entry : undefined),
        },
      ],
      transform: { define: { SALLYPORT_VERSION: JSON.stringify(packageVersion()) } },
      output: { file, format: "esm", codeSplitting: false },
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeProxy(routes, version) {
  const paths = {};
  for (const { method, path, dialect, operation } of routes) {
    const summary = OPERATIONS[operation];
    if (!summary) throw new Error(`scripts/docs/api-pages.mjs has no text for the operation ${operation}`);
    const name = path.replace(/:(\w+)/g, "{$1}").replace("*", "{path}");
    paths[name] ??= {};
    // OpenAPI cannot express "any method".
    const methods = ["ANY", "COMMON"].includes(method) ? ["get", "post"] : [method.toLowerCase()];
    for (const each of methods)
      paths[name][each] ??= { summary, tags: [dialect], parameters: listPathParameters(name) };
  }
  return { openapi: "3.1.0", info: { title: "Proxy API", version }, paths };
}

function createPage(name, document, text) {
  const base = document.servers?.[0]?.url ?? "";
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: base + path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  const isDetailed = operations.some(({ responses }) => responses);
  const types = document.components?.schemas ?? {};
  const body = isDetailed
    ? [...operations.map(describeOperation), ...describeTypes(types)].join("\n\n")
    : listOperations(operations);
  return {
    isApi: true,
    path: `docs/api/${name}.md`,
    url: `docs/api/${name}.html`,
    title: document.info.title,
    text: `# ${document.info.title}\n\n${text}\n\n[OpenAPI 3.1 document](${name}.openapi.json)\n\n${body}\n`,
    file: { url: `docs/api/${name}.openapi.json`, document },
  };
}

function listOperations(operations) {
  const rows = operations.map(
    ({ method, path, summary, tags }) => `| \`${method} ${path}\` | ${summary} | ${tags?.[0] ?? ""} |`,
  );
  return `| route | | dialect |\n|---|---|---|\n${rows.join("\n")}`;
}

function describeOperation({ method, path, summary, parameters = [], requestBody, responses }) {
  const [status, response] = Object.entries(responses).find(([code]) => code !== "default") ?? [];
  const sections = [`## ${method} ${path}`, `${summary}.`];
  if (parameters.length > 0)
    sections.push(
      table(
        "parameter",
        parameters.map(({ name, in: where, schema, description }) => [
          name,
          `${describeType(schema)}, in the ${where}${description ? `: ${description}` : ""}`,
        ]),
      ),
    );
  if (requestBody)
    sections.push(requestBody.required ? "Body:" : "Body, optional:", describeContent(requestBody.content));
  if (response?.content) sections.push(`Response ${status}:`, describeContent(response.content));
  return sections.join("\n\n");
}

function describeContent(content) {
  const [[media, { schema }]] = Object.entries(content);
  return media === "application/json" ? describeSchema(schema) : `\`${media}\``;
}

/** Describes the named types of a document, to which its operations link. */
function describeTypes(schemas) {
  const types = Object.entries(schemas);
  if (types.length === 0) return [];
  const sections = types.map(([name, schema]) =>
    [`### ${name}`, schema.description, describeSchema(schema)].filter(Boolean).join("\n\n"),
  );
  return ["## Types", ...sections];
}

function describeSchema(schema) {
  if (schema.anyOf?.some(({ properties }) => properties))
    return ["One of these:", ...schema.anyOf.map(describeAlternative)].join("\n\n");
  const rows = listMembers(schema, "");
  return rows.length === 0 ? describeType(schema) : table("member", rows);
}

function describeAlternative(schema) {
  return [schema.description, describeSchema(schema)].filter(Boolean).join("\n\n");
}

/** Returns the members of a schema with their types; those of nested objects and lists by their paths. */
function listMembers(schema, prefix) {
  const object = schema.type === "array" ? schema.items : schema;
  const mark = schema.type === "array" ? "[]" : "";
  const members = object?.properties ?? {};
  const required = new Set(object?.required);
  return Object.entries(members).flatMap(([name, member]) => {
    const path = `${prefix}${prefix && mark ? mark : ""}${prefix ? "." : ""}${name}`;
    const note = required.has(name) ? "" : ", optional";
    const text = member.description ? `: ${member.description.replaceAll("|", "\\|")}` : "";
    return [[path, `${describeType(member)}${note}${text}`], ...listMembers(member, path)];
  });
}

function describeType(schema = {}) {
  const { type, anyOf, oneOf, items, prefixItems, const: value, pattern, format, $ref } = schema;
  if ($ref) return linkType($ref.split("/").at(-1));
  if (schema.enum) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(" or ");
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  const choices = anyOf ?? oneOf;
  if (choices) return [...new Set(choices.map(describeType))].join(" or ");
  if (prefixItems) return prefixItems.map((item) => `${item.title} ${describeType(item)}`).join(", ");
  if (type === "array") return `list of ${describeType(items)}`;
  const name = Array.isArray(type) ? type.join(" or ") : (type ?? "any value");
  if (format) return `${name} (${format})`;
  return pattern ? `${name} (\`${pattern.replaceAll("|", "\\|")}\`)` : name;
}

/** Links to a type's section, whose id is that of its heading. */
function linkType(name) {
  return `[${name}](#${name.toLowerCase()})`;
}

function table(heading, rows) {
  return `| ${heading} | |\n|---|---|\n${rows.map(([name, text]) => `| \`${name}\` | ${text} |`).join("\n")}`;
}

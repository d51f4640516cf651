import { resolve } from "node:path";
import { z } from "zod";
import type { UpstreamDialect } from "../../proxy/dialects/index.ts";
import type { Environment } from "../paths.ts";
import type { KeyHeader, PlatformConfig } from "./config.ts";
import { headerText, keySecret, type SecretSettings } from "./value-schemas.ts";
import { BEARER } from "./vendors.ts";

const text = z.string().min(1);
const hostPart = z.string().regex(/^[A-Za-z0-9-]+$/, "may have letters, digits and hyphens");

/** Members of an upstream on a cloud platform, one for each platform. */
export const platformSettings = {
  aws: z
    .strictObject({
      region: hostPart.optional().describe("Default: AWS_REGION or AWS_DEFAULT_REGION."),
      profile: text.optional().describe("The profile in AWS's files; default: AWS_PROFILE."),
      role_arn: text.optional().describe("A role to assume with the credentials found."),
    })
    .optional()
    .describe("Amazon Bedrock (`vendor: bedrock`)."),
  google: z
    .strictObject({
      project: hostPart.optional().describe("Default: GOOGLE_CLOUD_PROJECT or GCLOUD_PROJECT."),
      location: hostPart.optional().describe("Default: GOOGLE_CLOUD_LOCATION, CLOUD_ML_REGION or global."),
      credentials_file: text
        .optional()
        .describe("A file with credentials; default: Application Default Credentials."),
    })
    .optional()
    .describe("Google Vertex AI (`vendor: vertex`)."),
  azure: z
    .strictObject({
      resource: hostPart.optional().describe("The resource's name; default: AZURE_RESOURCE_NAME."),
      deployments: z
        .boolean()
        .default(false)
        .describe("Put the model into the path as a deployment's name, for API versions before v1."),
      api_version: z
        .string()
        .regex(/^[\w.-]+$/, "is not a version such as 2024-10-21")
        .optional()
        .describe("Sent as `api-version`; default with deployments: 2024-10-21."),
      tenant_id: headerText.min(1).optional().describe("Default: AZURE_TENANT_ID."),
      client_id: headerText.min(1).optional().describe("Default: AZURE_CLIENT_ID."),
      client_secret: keySecret.optional().describe("Default: AZURE_CLIENT_SECRET."),
      scope: text.default("https://cognitiveservices.azure.com/.default").describe("Scope of the token."),
    })
    .optional()
    .describe("Azure OpenAI and Foundry (`vendor: azure`)."),
} as const;

export type PlatformName = "bedrock" | "vertex" | "azure";

/** The members of an upstream that concern its platform. */
export interface PlatformSettings {
  readonly aws?: z.infer<(typeof platformSettings)["aws"]>;
  readonly google?: z.infer<(typeof platformSettings)["google"]>;
  readonly azure?: z.infer<(typeof platformSettings)["azure"]>;
}

/** The dialect, base URL and authentication settings of an upstream on a cloud platform. */
export interface PlatformService {
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
  readonly platform: PlatformConfig;
  /** The header for an API key, if it differs from the dialect's. */
  readonly keyHeader: KeyHeader | undefined;
}

/** The settings of an upstream, and the values that are needed to resolve them. */
export interface PlatformContext {
  readonly settings: PlatformSettings;
  readonly dialect: UpstreamDialect | undefined;
  /** The address that replaces the platform's, such as that of a private endpoint. */
  readonly baseUrl: string | undefined;
  readonly environment: Environment;
  /** The folder of the configuration file. */
  readonly folder: string;
  readonly readSecret: (secret: SecretSettings) => string;
  /** Throws an error about the upstream, or about one of its members. */
  readonly refuse: (member: readonly string[], message: string) => never;
}

/** Facts about a platform's dialects, by dialect. The first dialect is the default. */
type ByDialect<Facts> = Readonly<Partial<Record<UpstreamDialect, Facts>>>;

/** Returns the service of an upstream on this platform. */
export function resolvePlatform(name: PlatformName, context: PlatformContext): PlatformService {
  const resolvers = { bedrock: resolveBedrock, vertex: resolveVertex, azure: resolveAzure };
  return resolvers[name](context);
}

const BEDROCK_PATHS: ByDialect<string> = { messages: "", "chat-completions": "/openai/v1" };

/** Resolves an upstream on Amazon Bedrock: https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
function resolveBedrock(context: PlatformContext): PlatformService {
  const { region: given, profile, role_arn: roleArn } = context.settings.aws ?? {};
  const region = given ?? readVariable(context, "AWS_REGION", "AWS_DEFAULT_REGION");
  if (region === undefined)
    return context.refuse(["aws"], "Amazon Bedrock needs a region: set aws.region, or AWS_REGION");
  const [dialect, path] = chooseDialect(context, "Amazon Bedrock", BEDROCK_PATHS);
  const own = context.baseUrl;
  return {
    dialect,
    baseUrl: `${own ?? `https://bedrock-runtime.${region}.amazonaws.com`}${path}`,
    keyHeader: BEARER,
    platform: {
      kind: "bedrock",
      region,
      profile,
      roleArn,
      stsUrl: readVariable(context, "AWS_ENDPOINT_URL_STS") ?? `https://sts.${region}.amazonaws.com/`,
      controlUrl: own ?? `https://bedrock.${region}.amazonaws.com`,
    },
  };
}

const VERTEX_PATHS: ByDialect<string> = {
  "generative-language": "publishers/google",
  messages: "publishers/anthropic",
  "chat-completions": "endpoints/openapi",
};

/** Resolves an upstream on Vertex AI: https://docs.cloud.google.com/vertex-ai/docs/general/googleapi-access-methods */
function resolveVertex(context: PlatformContext): PlatformService {
  const { project: given, location: givenLocation, credentials_file: file } = context.settings.google ?? {};
  const project = given ?? readVariable(context, "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT");
  const location =
    givenLocation ?? readVariable(context, "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION") ?? "global";
  if (project === undefined)
    return context.refuse(
      ["google"],
      "Google Vertex AI needs a project: set google.project, or GOOGLE_CLOUD_PROJECT",
    );
  const [dialect, path] = chooseDialect(context, "Google Vertex AI", VERTEX_PATHS);
  const origin = context.baseUrl ?? `https://${getVertexHost(location)}`;
  return {
    dialect,
    baseUrl: `${origin}/v1/projects/${project}/locations/${location}/${path}`,
    keyHeader: undefined,
    platform: {
      kind: "vertex",
      project,
      location,
      credentialsFile:
        file === undefined
          ? readVariable(context, "GOOGLE_APPLICATION_CREDENTIALS")
          : resolve(context.folder, file),
      gcloudFolder: readVariable(context, "CLOUDSDK_CONFIG"),
      metadataHost: readVariable(context, "GCE_METADATA_HOST") ?? "metadata.google.internal",
    },
  };
}

function getVertexHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  return /^[a-z]{2}$/.test(location)
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location}-aiplatform.googleapis.com`;
}

/** An API of Azure. */
interface AzureApi {
  readonly host: string;
  readonly path: string;
  /** The path before a deployment's name. */
  readonly deploymentsPath: string;
  readonly keyHeader: KeyHeader | undefined;
}

const AZURE_OPENAI: AzureApi = {
  host: "openai.azure.com",
  path: "/openai/v1",
  deploymentsPath: "/openai",
  keyHeader: { name: "api-key", prefix: "" },
};
const AZURE_APIS: ByDialect<AzureApi> = {
  "chat-completions": AZURE_OPENAI,
  responses: AZURE_OPENAI,
  messages: {
    host: "services.ai.azure.com",
    path: "/anthropic/v1",
    deploymentsPath: "/anthropic/v1",
    keyHeader: undefined,
  },
};

/** Resolves an upstream on Azure: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
function resolveAzure(context: PlatformContext): PlatformService {
  const azure = context.settings.azure;
  const { deployments = false, api_version: given } = azure ?? {};
  const resource = azure?.resource ?? readVariable(context, "AZURE_RESOURCE_NAME");
  const own = context.baseUrl ?? readVariable(context, "AZURE_OPENAI_ENDPOINT")?.replace(/\/+$/, "");
  const [dialect, api] = chooseDialect(context, "Azure", AZURE_APIS);
  if (own === undefined && resource === undefined)
    return context.refuse(["azure"], "Azure needs a resource: set azure.resource, or AZURE_OPENAI_ENDPOINT");
  const version = given ?? (deployments ? "2024-10-21" : undefined);
  const path = deployments ? api.deploymentsPath : api.path;
  const query = version === undefined ? "" : `?api-version=${version}`;
  const secret = azure?.client_secret;
  return {
    dialect,
    baseUrl: `${own ?? `https://${resource}.${api.host}`}${path}${query}`,
    keyHeader: api.keyHeader,
    platform: {
      kind: "azure",
      deployments,
      entra: {
        tenantId: azure?.tenant_id ?? readVariable(context, "AZURE_TENANT_ID"),
        clientId: azure?.client_id ?? readVariable(context, "AZURE_CLIENT_ID"),
        clientSecret:
          secret === undefined ? readVariable(context, "AZURE_CLIENT_SECRET") : context.readSecret(secret),
        tokenFile: readVariable(context, "AZURE_FEDERATED_TOKEN_FILE"),
        scope: azure?.scope ?? "https://cognitiveservices.azure.com/.default",
        authority: (
          readVariable(context, "AZURE_AUTHORITY_HOST") ?? "https://login.microsoftonline.com"
        ).replace(/\/+$/, ""),
        identityEndpoint: readVariable(context, "IDENTITY_ENDPOINT"),
        identityHeader: readVariable(context, "IDENTITY_HEADER"),
        metadataHost: readVariable(context, "AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? "http://169.254.169.254",
      },
    },
  };
}

/** Returns the configured dialect, or the first one, with its facts. Rejects a dialect that the platform lacks. */
function chooseDialect<Facts>(
  { dialect, refuse }: PlatformContext,
  title: string,
  facts: ByDialect<Facts>,
): readonly [UpstreamDialect, Facts] {
  const known = Object.entries(facts) as [UpstreamDialect, Facts][];
  const found = dialect === undefined ? known[0] : known.find(([name]) => name === dialect);
  return (
    found ??
    refuse(["dialect"], `${title} has no ${dialect} API; use ${known.map(([name]) => name).join(" or ")}`)
  );
}

/** Returns the value of the first of these variables that is set. */
function readVariable({ environment }: PlatformContext, ...names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find(Boolean);
}

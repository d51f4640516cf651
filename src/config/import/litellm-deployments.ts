import { z } from "zod";
import { freeName, type ImportedUpstream, importSecret, type Notes } from "./imported.ts";
import { guessProvider, PROVIDERS } from "./litellm-providers.ts";

/** Converts an entry of LiteLLM's `model_list`: docs.litellm.ai/docs/proxy/configs. */

type Environment = Readonly<Record<string, string | undefined>>;

const text = z.string().min(1);
/** An optional number. Numbers in quotes, which are common in hand-written YAML, are accepted too. */
const optionalNumber = z.coerce.number().finite().nullish();

/** The schema of an entry. */
export const deploymentSchema = z.looseObject({
  model_name: text,
  litellm_params: z.looseObject({
    model: text,
    custom_llm_provider: text.nullish(),
    api_base: text.nullish(),
    base_url: text.nullish(),
    api_key: text.nullish(),
    api_version: z.union([text, z.date()]).nullish(),
    rpm: optionalNumber,
    tpm: optionalNumber,
    weight: optionalNumber,
    max_parallel_requests: optionalNumber,
    timeout: optionalNumber,
    stream_timeout: optionalNumber,
    extra_headers: z.record(z.string(), z.coerce.string()).nullish(),
    input_cost_per_token: optionalNumber,
    output_cost_per_token: optionalNumber,
    cache_read_input_token_cost: optionalNumber,
    cache_creation_input_token_cost: optionalNumber,
    aws_region_name: text.nullish(),
    aws_profile_name: text.nullish(),
    aws_role_name: text.nullish(),
    vertex_project: text.nullish(),
    vertex_location: text.nullish(),
    vertex_credentials: text.nullish(),
  }),
  model_info: z
    .looseObject({
      max_input_tokens: optionalNumber,
      input_cost_per_token: optionalNumber,
      output_cost_per_token: optionalNumber,
      cache_read_input_token_cost: optionalNumber,
      cache_creation_input_token_cost: optionalNumber,
    })
    .nullish(),
});
export type Deployment = z.infer<typeof deploymentSchema>;

/** Matches a reference to an environment variable in the file. */
export const REFERENCE = /^os\.environ\/(\w+)$/;

/** Parameters of a deployment that this module converts. */
const PARAMETERS = Object.fromEntries(
  Object.keys(deploymentSchema.shape.litellm_params.shape).map((name) => [name, ""]),
);

/**
 * Creates an empty list of the upstreams that deployments need. Deployments with the same connection, limits, weight
 * and timeout share one upstream, unless their prefixes differ. Deployments with a prefix must be added first, because
 * only an upstream with the name of the prefix can serve them.
 */
export function createUpstreams(environment: Environment, notes: Notes) {
  const byName: Record<string, ImportedUpstream> = {};
  const names = new Map<string, string>();
  return {
    byName,

    /**
     * Adds the upstream of a deployment. Returns the deployment's target, `NAME/model`, or undefined if the
     * deployment was left out.
     */
    add(deployment: Deployment): string | undefined {
      const { model_name: name, litellm_params: parameters, model_info: info } = deployment;
      const setting = `model_list.${name}`;
      const { provider, model } = splitModel(parameters.model, parameters.custom_llm_provider);
      const known = PROVIDERS[provider];
      const platform = describePlatform(provider, model, parameters, environment);
      const written = parameters.api_base ?? parameters.base_url;
      const base = resolveText(written ?? known?.url, environment);
      if (base === undefined && platform === undefined) {
        const reason =
          known === undefined
            ? `the proxy has no counterpart of LiteLLM's provider ${JSON.stringify(provider)}`
            : "api_base is missing, or names a variable that is not set here";
        notes.add(setting, `was left out: ${reason}`);
        return undefined;
      }
      if (known === undefined && platform === undefined)
        notes.add(
          setting,
          `is assumed to use the chat-completions dialect: the provider ${provider} is not known`,
        );
      notes.addSection(`${setting}.litellm_params`, parameters, PARAMETERS);
      if (parameters.vertex_credentials?.trimStart().startsWith("{"))
        notes.add(
          `${setting}.litellm_params.vertex_credentials`,
          'was left out: save it as a file, and set "google": {"credentials_file": FILE}',
        );
      const upstream: ImportedUpstream = {
        ...describeUpstream(provider, model, base, parameters),
        ...platform,
      };
      const prefix = findPrefix(deployment);
      const connection = JSON.stringify(upstream);
      const identity = prefix === undefined ? connection : `${prefix} ${connection}`;
      const key = names.get(identity) ?? freeName(prefix ?? provider, byName);
      names.set(identity, key);
      if (!names.has(connection)) names.set(connection, key);
      byName[key] ??= upstream;
      addFacts(byName[key], model, { ...info, ...withoutNull(parameters) }, info?.max_input_tokens);
      return `${key}/${model}`;
    },
  };
}

/**
 * Returns the prefix of a deployment's pattern, such as `my` for `my/*`, if the deployment receives the model name
 * without it. Such a pattern needs no rule: `NAME/MODEL` selects the upstream NAME, and the proxy removes the prefix.
 */
export function findPrefix({ model_name: name, litellm_params: parameters }: Deployment): string | undefined {
  const { model } = splitModel(parameters.model, parameters.custom_llm_provider);
  const slash = name.indexOf("/");
  const isRemoved = slash > 0 && name.includes("*", slash) && name.slice(slash + 1) === model;
  return isRemoved && /^[\w.-]+$/.test(name.slice(0, slash)) ? name.slice(0, slash) : undefined;
}

/** Splits `groq/llama-3` into provider and model. */
function splitModel(
  written: string,
  provider: string | null | undefined,
): { provider: string; model: string } {
  const slash = written.indexOf("/");
  const prefix = written.slice(0, Math.max(slash, 0));
  if (provider) return { provider, model: prefix === provider ? written.slice(slash + 1) : written };
  // `converse` and `invoke` choose a route of Bedrock; the proxy chooses it by the model.
  if (prefix === "bedrock")
    return { provider: prefix, model: written.slice(slash + 1).replace(/^(?:converse|invoke)\//, "") };
  if (slash > 0) return { provider: prefix, model: written.slice(slash + 1) };
  return { provider: guessProvider(written), model: written };
}

/** Returns the members of an upstream on Amazon Bedrock or Vertex AI; undefined for other providers. */
function describePlatform(
  provider: string,
  model: string,
  parameters: Deployment["litellm_params"],
  environment: Environment,
): Pick<ImportedUpstream, "dialect" | "vendor" | "aws" | "google"> | undefined {
  const settings = (members: Readonly<Record<string, string | null | undefined>>) =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, written]) => {
        const value = resolveText(written ?? undefined, environment);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const isClaude = /claude/i.test(model);
  if (provider === "bedrock") {
    const { aws_region_name: region, aws_profile_name: profile, aws_role_name: role_arn } = parameters;
    const aws = settings({ region, profile, role_arn });
    return { vendor: "bedrock", dialect: isClaude ? "messages" : "chat-completions", aws };
  }
  if (provider !== "vertex_ai") return undefined;
  const { vertex_project: project, vertex_location: location, vertex_credentials: written } = parameters;
  const file = written?.trimStart().startsWith("{") ? undefined : written;
  const google = settings({ project, location, credentials_file: file });
  const other = /gemini/i.test(model) ? "generative-language" : "chat-completions";
  return { vendor: "vertex", dialect: isClaude ? "messages" : other, google };
}

function withoutNull<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member != null)) as Value;
}

function describeUpstream(
  provider: string,
  model: string,
  base: string | undefined,
  parameters: Deployment["litellm_params"],
): ImportedUpstream {
  const known = PROVIDERS[provider];
  const variable = known?.keyVariable;
  const key = parameters.api_key
    ? importSecret(parameters.api_key, REFERENCE)
    : variable && { env: variable };
  const isAzure = provider === "azure";
  const version =
    parameters.api_version instanceof Date ? isoDate(parameters.api_version) : parameters.api_version;
  const headers = {
    ...(isAzure && key !== undefined && { "api-key": key }),
    ...Object.fromEntries(
      Object.entries(parameters.extra_headers ?? {}).map(([name, text]) => [
        name,
        importSecret(text, REFERENCE),
      ]),
    ),
  };
  const limits = {
    ...positive("rpm", parameters.rpm),
    ...positive("tpm", parameters.tpm),
    ...positive("concurrency", parameters.max_parallel_requests),
  };
  const firstByte = parameters.stream_timeout ?? parameters.timeout;
  return {
    dialect: known?.dialect ?? "chat-completions",
    ...(base !== undefined && {
      base_url: isAzure
        ? `${base.replace(/\/+$/, "")}/openai/deployments/${model}?api-version=${version ?? "2024-10-21"}`
        : base,
    }),
    ...(!isAzure && key !== undefined && { api_key: key }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(parameters.weight ? { weight: parameters.weight } : {}),
    ...(firstByte ? { timeouts: { first_byte: firstByte } } : {}),
  };
}

/** Adds the model's prices per million tokens, and its context window. */
function addFacts(
  upstream: ImportedUpstream,
  model: string,
  parameters: Pick<
    Deployment["litellm_params"],
    | "input_cost_per_token"
    | "output_cost_per_token"
    | "cache_read_input_token_cost"
    | "cache_creation_input_token_cost"
  >,
  contextWindow: number | null | undefined,
): void {
  const million = (cost: number) => Number((cost * 1_000_000).toPrecision(12));
  const { input_cost_per_token: input, output_cost_per_token: output } = parameters;
  if (typeof input === "number" && typeof output === "number") {
    const read = parameters.cache_read_input_token_cost;
    const write = parameters.cache_creation_input_token_cost;
    upstream.prices = {
      ...upstream.prices,
      [model]: {
        input: million(input),
        output: million(output),
        ...(typeof read === "number" && { cache_read: million(read) }),
        ...(typeof write === "number" && { cache_write: million(write) }),
      },
    };
  }
  if (contextWindow) upstream.capabilities = { ...upstream.capabilities, [model]: { contextWindow } };
}

/** Returns a text, or the value of the variable that it names; undefined if that variable is not set. */
function resolveText(text: string | undefined, environment: Environment): string | undefined {
  if (text === undefined) return undefined;
  const value = importSecret(text, REFERENCE);
  return typeof value === "string" ? value : environment[value.env] || undefined;
}

function positive(name: string, value: number | null | undefined): object {
  return value && value >= 1 ? { [name]: Math.floor(value) } : {};
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

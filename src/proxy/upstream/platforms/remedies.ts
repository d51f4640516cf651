import type { PlatformConfig } from "../../../config/proxy/config.ts";
import { asObject, type Json } from "../../exchange/json.ts";
import type { ResponseChanges } from "./platform.ts";

interface Remedy {
  readonly statuses: readonly number[];
  /** Matches the platform's message. */
  readonly message: RegExp;
  readonly text: string;
}

/** Remedies for rejections whose messages contain none, by platform. The first match applies. */
const REMEDIES: Readonly<Record<PlatformConfig["kind"], readonly Remedy[]>> = {
  bedrock: [
    {
      statuses: [403, 404],
      message: /access to the model|model access|use case details/i,
      text: "Enable the model for this account and region under Model access of Amazon Bedrock.",
    },
    {
      statuses: [403],
      message: /not authorized to perform/i,
      text: "Allow this action in a policy of the user or role that the proxy signs in as.",
    },
    {
      statuses: [401, 403],
      message: /token|signature|credential|api key/i,
      text: "Check the credentials that the proxy finds: aws.profile, AWS_PROFILE, or the key.",
    },
  ],
  vertex: [
    {
      statuses: [403],
      message: /permission/i,
      text: "Give the account the role Vertex AI User (roles/aiplatform.user) in the project.",
    },
    {
      statuses: [404],
      message: /publisher model|not found/i,
      text: "Enable the model in Model Garden, or set google.location to a location that serves it.",
    },
  ],
  azure: [
    {
      statuses: [401, 403],
      message: /principal|permission|does not have access|lacks/i,
      text: "Give the identity the role Cognitive Services OpenAI User for the resource.",
    },
    {
      statuses: [404],
      message: /deployment/i,
      text: "Use the name of a deployment of the resource as the model, or rename the model by a rule.",
    },
  ],
};

/** Extends the changes of a response so that messages of rejections end with a remedy, if one applies. */
export function withRemedies(
  changes: ResponseChanges | undefined,
  { kind }: Pick<PlatformConfig, "kind">,
): ResponseChanges {
  return {
    ...changes,
    convertError(status, headers, body) {
      const converted = changes?.convertError?.(status, headers, body);
      return addRemedy(kind, status, converted ?? body) ?? converted;
    },
  };
}

/** Returns an error with a remedy at the end of its message; undefined if no remedy applies. */
function addRemedy(kind: PlatformConfig["kind"], status: number, body: unknown): unknown {
  if (Array.isArray(body)) {
    const [first, ...others] = body;
    const changed = addRemedy(kind, status, first);
    return changed === undefined ? undefined : [changed, ...others];
  }
  const members = asObject(body);
  const error = asObject(members["error"]);
  if (typeof error["message"] === "string") {
    const changed = extend(kind, status, error);
    return changed === undefined ? undefined : { ...members, error: changed };
  }
  return extend(kind, status, members);
}

function extend(kind: PlatformConfig["kind"], status: number, holder: Json): Json | undefined {
  const { message } = holder;
  if (typeof message !== "string") return undefined;
  const found = REMEDIES[kind].find(
    (remedy) => remedy.statuses.includes(status) && remedy.message.test(message),
  );
  if (found === undefined) return undefined;
  const end = /[.!?]$/.test(message.trim()) ? "" : ".";
  return { ...holder, message: `${message.trim()}${end} ${found.text}` };
}

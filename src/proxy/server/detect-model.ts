import { z } from "zod";
import { NO_FACTS } from "../routing/call-facts.ts";
import { notServed } from "../routing/not-served.ts";
import type { Runtime } from "../runtime.ts";

/** The body of `POST /v1/models/detect`. */
export const detectBody = z.object({ model: z.string().min(1) });

/** The response of `POST /v1/models/detect`. */
export interface Detected {
  readonly model: string;
  readonly mapped_model: string;
  readonly upstream: string;
  readonly dialect: string;
  readonly type: "chat" | "image" | "audio" | "embedding";
  readonly features: Readonly<Record<string, boolean>>;
  /** The pattern of the matching rule, or null. */
  readonly matched_rule: string | null;
}

/** Returns a target to which calls for this model can be sent. Throws `model_not_found` if there is none. */
export async function detectModel(runtime: Runtime, model: string): Promise<Detected> {
  const selection = await runtime.selector.select(model, undefined, NO_FACTS);
  if (!selection) throw notServed(model);
  const [target] = selection.targets;
  const type = detectType(target.model);
  return {
    model,
    mapped_model: target.model,
    upstream: target.upstream.name,
    dialect: target.upstream.dialect,
    type,
    features: {
      streaming: type === "chat",
      tools: type === "chat",
      image_generation: type === "image" || /image/i.test(target.model),
      transcription: type === "audio",
      embeddings: type === "embedding",
    },
    matched_rule: selection.rule ?? null,
  };
}

/** Returns the type of a model by the vendors' naming conventions; `chat` if no other type matches. */
function detectType(model: string): Detected["type"] {
  if (/embed|bge-|e5-/i.test(model)) return "embedding";
  if (/whisper|transcribe|tts|audio/i.test(model)) return "audio";
  return /dall-e|gpt-image|imagen|stable-diffusion|flux|image-generation|-image\b/i.test(model)
    ? "image"
    : "chat";
}

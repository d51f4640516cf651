import { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { invalidRequest, invalidResponse } from "../../exchange/dialect-error.ts";
import { ownMember } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Form } from "./read-form.ts";

const formats = ["json", "text", "srt", "vtt", "verbose_json"] as const;
export type TranscriptFormat = (typeof formats)[number];

/** A transcription request, independent of any vendor. */
export interface TranscriptRequest {
  readonly audio: { readonly mediaType: string; readonly data: string };
  readonly format: TranscriptFormat;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number | undefined;
  readonly stream: boolean;
}

/** A piece of a transcript. `start` and `end` are seconds from the beginning of the recording. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const understood = new Set([
  "model",
  "response_format",
  "language",
  "prompt",
  "temperature",
  "stream",
  "file",
]);

/**
 * Parses a request to `POST /v1/audio/transcriptions` (https://platform.openai.com/docs/api-reference/audio). Throws
 * `DialectError` (400) if the file is missing, or if its format or the response format is unknown.
 */
export function readTranscription(form: Form, losses: LossList): TranscriptRequest {
  const field = (name: string) => form.fields.get(name)?.at(-1);
  const file = form.files.get("file")?.[0];
  if (file === undefined) throw invalidRequest("Missing required parameter: 'file'.", "file");
  const requested = field("response_format") ?? "json";
  const format = formats.find((name) => name === requested);
  if (format === undefined)
    throw invalidRequest(`Invalid value for 'response_format': ${requested}.`, "response_format");
  for (const [name, values] of form.fields) {
    const isDefault = name === "timestamp_granularities" && values.every((value) => value === "segment");
    if (!understood.has(name) && !isDefault)
      losses.add(memberCode(name), `\`${name}\` dropped: the upstream has no equivalent.`);
  }
  const temperature = field("temperature");
  return {
    audio: { mediaType: audioType(file.name, file.mediaType), data: file.data },
    format,
    language: field("language"),
    prompt: field("prompt"),
    temperature: temperature === undefined || temperature === "" ? undefined : Number(temperature),
    stream: field("stream") === "true",
  };
}

/** Media types by file extension. They take precedence over the type that the client declares. */
const mediaTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mp3",
  mpga: "audio/mp3",
  mpeg: "audio/mp3",
  wav: "audio/wav",
  m4a: "audio/mp4",
  mp4: "audio/mp4",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  opus: "audio/ogg",
  flac: "audio/flac",
  webm: "audio/webm",
  aiff: "audio/aiff",
  aif: "audio/aiff",
  aac: "audio/aac",
};

function audioType(name: string, declared: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const known = ownMember(mediaTypes, extension);
  if (known !== undefined) return known;
  if (declared.startsWith("audio/")) return declared;
  const extensions = Object.keys(mediaTypes).join(", ");
  throw invalidRequest(
    `The file ${JSON.stringify(name.slice(0, 80))} has an unknown audio format. Use one of: ${extensions}.`,
    "file",
  );
}

/** Returns whether a format contains timestamps. */
export function isTimed(format: TranscriptFormat): boolean {
  return format !== "json" && format !== "text";
}

const segments = {
  type: "object",
  properties: {
    language: { type: "string", description: "The language spoken, in English, in lower case." },
    duration: { type: "number", description: "Length of the recording in seconds." },
    segments: {
      type: "array",
      items: {
        type: "object",
        properties: {
          start: { type: "number", description: "Seconds from the beginning." },
          end: { type: "number", description: "Seconds from the beginning." },
          text: { type: "string" },
        },
        required: ["start", "end", "text"],
      },
    },
  },
  required: ["segments"],
};

/** Returns a generate request that contains the recording and requests its transcript. */
export function transcriptConversation(request: TranscriptRequest, model: string): ExchangeRequest {
  const timed = isTimed(request.format);
  const instructions = [
    "Transcribe the speech in this recording word for word. Answer with the transcript alone.",
    timed ? "Cut it into segments of a sentence or so, with their times in seconds." : undefined,
    request.language === undefined ? undefined : `The language is ${JSON.stringify(request.language)}.`,
    request.prompt === undefined ? undefined : `Words and spellings that occur: ${request.prompt}`,
  ].filter((instruction) => instruction !== undefined);
  return {
    model,
    stream: request.stream && !timed,
    instructions: [],
    turns: [
      {
        role: "user",
        parts: [
          { type: "audio", source: { kind: "base64", ...request.audio } },
          { type: "text", text: instructions.join("\n") },
        ],
      },
    ],
    tools: [],
    sampling: request.temperature === undefined ? {} : { temperature: request.temperature },
    ...(timed ? { output: { type: "json-schema", schema: segments } } : {}),
    extensions: {},
  };
}

const timedSchema = z.looseObject({
  language: z.string().optional(),
  duration: z.number().optional(),
  segments: z.array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() })),
});

export interface TimedTranscript {
  readonly language: string | undefined;
  /** Length of the recording in seconds. */
  readonly duration: number;
  readonly segments: readonly Segment[];
}

/** Parses the segments of a timed transcript. Throws `DialectError` (502) if the model did not follow the schema. */
export function readTimedTranscript(text: string): TimedTranscript {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidResponse("The upstream's transcript has no timestamps.");
  }
  const parsed = timedSchema.safeParse(value, FIRST_ISSUE);
  if (!parsed.success) throw invalidResponse("The upstream's transcript has no timestamps.");
  const { language, duration, segments: read } = parsed.data;
  return { language, duration: duration ?? read.at(-1)?.end ?? 0, segments: read };
}

/** Formats a transcript as `srt`, `vtt` or `verbose_json`. */
export function writeTimed(
  transcript: TimedTranscript,
  format: TranscriptFormat,
): { readonly text: string; readonly contentType: string } {
  const { segments: list } = transcript;
  if (format === "srt") {
    const blocks = list.map(
      (one, at) => `${at + 1}\n${clock(one.start, ",")} --> ${clock(one.end, ",")}\n${one.text.trim()}\n`,
    );
    return { text: blocks.join("\n"), contentType: "text/plain; charset=utf-8" };
  }
  if (format === "vtt") {
    const blocks = list.map(
      (one) => `${clock(one.start, ".")} --> ${clock(one.end, ".")}\n${one.text.trim()}\n`,
    );
    return { text: `WEBVTT\n\n${blocks.join("\n")}`, contentType: "text/vtt; charset=utf-8" };
  }
  const text = list.map((one) => one.text.trim()).join(" ");
  const { language = "unknown", duration } = transcript;
  const numbered = list.map(({ start, end, text: content }, id) => ({ id, start, end, text: content }));
  const body = { task: "transcribe", language, duration, text, segments: numbered };
  return { text: JSON.stringify(body), contentType: "application/json" };
}

/** Formats a time in seconds as `HH:MM:SS`, followed by the separator and milliseconds. */
function clock(seconds: number, separator: string): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, "0");
  const [hours, minutes] = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60];
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad((milliseconds / 1000) % 60, 2)}${separator}${pad(milliseconds % 1000, 3)}`;
}

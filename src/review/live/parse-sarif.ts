import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { NewThreadBody, ThreadAuthor, ThreadSeverity } from "../api-types.ts";

const level = z.enum(["none", "note", "warning", "error"]).optional().catch(undefined);
const message = z.object({ text: z.string().optional(), markdown: z.string().optional() });

const region = z.object({
  startLine: z.number().int().min(1).optional(),
  endLine: z.number().int().min(1).optional(),
});

const result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.number().int().optional(),
  level,
  message,
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: z.object({ uri: z.string() }).optional(),
            region: region.optional(),
          })
          .optional(),
      }),
    )
    .optional(),
});

const rule = z.object({ id: z.string().optional(), defaultConfiguration: z.object({ level }).optional() });

/** The parts of SARIF 2.1.0 that are used: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
const sarif = z.object({
  version: z.string().startsWith("2."),
  runs: z.array(
    z.object({
      tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(rule).optional() }) }),
      results: z.array(result).nullish(),
    }),
  ),
});

/** A finding of a tool. */
export interface SarifFinding {
  readonly body: NewThreadBody & { readonly type: "finding" };
  readonly author: ThreadAuthor;
}

/** `warning` is SARIF's default. `note` and `none` are information. */
const SEVERITIES: Readonly<Record<string, ThreadSeverity>> = {
  none: "info",
  note: "info",
  warning: "warning",
  error: "error",
};

/**
 * Returns the findings of a SARIF log, in its order. Throws `input` if the text is not SARIF. `name` is the
 * name of the file.
 */
export function parseSarif(text: string, name: string): readonly SarifFinding[] {
  const parsed = sarif.safeParse(parseJson(text, name));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the file";
    throw new AppError("input", `${name} is not SARIF 2: ${where}: ${issue?.message}`, {
      hint: "Configure the tool to write SARIF 2.1.0.",
    });
  }
  return parsed.data.runs.flatMap(({ tool: { driver }, results }) =>
    (results ?? []).map((found) => ({
      body: toBody(found, driver.rules ?? []),
      author: { kind: "tool" as const, name: driver.name },
    })),
  );
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new AppError("input", `${name} is not SARIF: it is not JSON`, { cause });
  }
}

function toBody(found: z.infer<typeof result>, rules: readonly z.infer<typeof rule>[]): SarifFinding["body"] {
  const { ruleId, ruleIndex, message: content, locations } = found;
  const known = rules[ruleIndex ?? -1] ?? rules.find(({ id }) => id !== undefined && id === ruleId);
  const severity = SEVERITIES[found.level ?? known?.defaultConfiguration?.level ?? "warning"] ?? "warning";
  const text = content.markdown ?? content.text ?? "";
  const name = ruleId ?? known?.id;
  const markdown = name === undefined ? text || "No message." : `${text}\n\n\`${name}\``.trim();
  const { artifactLocation, region: lines } = locations?.[0]?.physicalLocation ?? {};
  return { anchor: toAnchor(artifactLocation?.uri, lines), type: "finding", markdown, severity };
}

function toAnchor(
  uri: string | undefined,
  lines: z.infer<typeof region> | undefined,
): NewThreadBody["anchor"] {
  if (uri === undefined) return { kind: "review" };
  const path = toPath(uri);
  const { startLine, endLine = startLine } = lines ?? {};
  if (startLine === undefined || endLine === undefined) return { kind: "file", path };
  return { kind: "lines", path, side: "new", lineStart: startLine, lineEnd: Math.max(startLine, endLine) };
}

/** Returns the path of a relative reference. The path of a `file:` URI stays absolute; the caller makes it relative. */
function toPath(uri: string): string {
  const path = uri.replace(/^file:\/\/[^/]*/i, "").replace(/^(?:\.\/)+/, "");
  // A URI has a slash before the drive letter of Windows.
  return decoded(path).replace(/^\/(?=[a-z]:\/)/i, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { NewThreadBody, ThreadAuthor, ThreadSeverity } from "../api-types.ts";

const level = z.enum(["none", "note", "warning", "error"]).optional().catch(undefined);
const texts = { text: z.string().optional(), markdown: z.string().optional() };
const message = z.object({
  ...texts,
  /** Names a text of the rule. */
  id: z.string().optional(),
  arguments: z.array(z.string()).optional(),
});

const region = z.object({
  startLine: z.number().int().min(1).optional(),
  endLine: z.number().int().min(1).optional(),
});

const result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.number().int().optional(),
  level,
  kind: z.string().optional(),
  baselineState: z.string().optional(),
  suppressions: z.array(z.object({ status: z.string().optional() })).nullish(),
  message,
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: z
              .object({ uri: z.string().optional(), index: z.number().int().optional() })
              .optional(),
            region: region.optional(),
          })
          .optional(),
      }),
    )
    .optional(),
});

const rule = z.object({
  id: z.string().optional(),
  defaultConfiguration: z.object({ level }).optional(),
  messageStrings: z.record(z.string(), z.object(texts)).optional(),
});

const artifact = z.object({ location: z.object({ uri: z.string().optional() }).optional() });

/** The parts of SARIF 2.1.0 that are used: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
const sarif = z.object({
  version: z.string().startsWith("2."),
  runs: z.array(
    z.object({
      tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(rule).optional() }) }),
      artifacts: z.array(artifact).optional(),
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
 * Returns the findings of a SARIF log, in its order. Leaves out results that are suppressed, no longer exist or report
 * no problem. Throws `input` if the text is not SARIF. `name` is the name of the file.
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
  return parsed.data.runs.flatMap(({ tool: { driver }, artifacts = [], results }) =>
    (results ?? []).filter(isFinding).map((found) => ({
      body: toBody(found, driver.rules ?? [], artifacts),
      author: { kind: "tool" as const, name: driver.name },
    })),
  );
}

type Result = z.infer<typeof result>;

/** Kinds of results that report no problem (section 3.27.9). */
const NO_PROBLEM = ["pass", "notApplicable"];
/** States of a suppression that does not apply (section 3.35.3). */
const NOT_APPLIED = ["underReview", "rejected"];

/** Reports whether a result is a finding: it exists, reports a problem and is not suppressed (section 3.27.23). */
function isFinding({ kind = "fail", baselineState, suppressions }: Result): boolean {
  const states = suppressions ?? [];
  const isSuppressed = states.length > 0 && states.every(({ status = "" }) => !NOT_APPLIED.includes(status));
  return !isSuppressed && baselineState !== "absent" && !NO_PROBLEM.includes(kind);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new AppError("input", `${name} is not SARIF: it is not JSON`, { cause });
  }
}

function toBody(
  found: Result,
  rules: readonly z.infer<typeof rule>[],
  artifacts: readonly z.infer<typeof artifact>[],
): SarifFinding["body"] {
  const { ruleId, ruleIndex, locations } = found;
  const known = rules[ruleIndex ?? -1] ?? rules.find(({ id }) => id !== undefined && id === ruleId);
  const severity = SEVERITIES[found.level ?? known?.defaultConfiguration?.level ?? "warning"] ?? "warning";
  const content = toText(found.message, known?.messageStrings ?? {});
  const name = ruleId ?? known?.id;
  const markdown = name === undefined ? content || "No message." : `${content}\n\n\`${name}\``.trim();
  const { artifactLocation, region: lines } = locations?.[0]?.physicalLocation ?? {};
  const uri = artifactLocation?.uri ?? artifacts[artifactLocation?.index ?? -1]?.location?.uri;
  return { anchor: toAnchor(uri, lines), type: "finding", markdown, severity };
}

/** Returns the text of a message, or of the rule's text that it names, with its arguments (section 3.11). */
function toText(
  { id = "", arguments: values = [], ...own }: z.infer<typeof message>,
  strings: NonNullable<z.infer<typeof rule>["messageStrings"]>,
): string {
  const named = strings[id];
  const given = own.markdown ?? own.text ?? named?.markdown ?? named?.text ?? "";
  if (values.length === 0) return given;
  // Two braces stand for one.
  return given.replace(/\{\{|\}\}|\{(\d+)\}/g, (found, index?: string) =>
    index === undefined ? found.slice(1) : (values[Number(index)] ?? found),
  );
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

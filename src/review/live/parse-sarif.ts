import { posix } from "node:path";
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

const fileReference = z.object({
  uri: z.string().optional(),
  uriBaseId: z.string().optional(),
  index: z.number().int().optional(),
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
            artifactLocation: fileReference.optional(),
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

const artifact = z.object({ location: fileReference.optional() });

/** The parts of SARIF 2.1.0 that are used: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
const sarif = z.object({
  version: z.string().startsWith("2."),
  runs: z.array(
    z.object({
      tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(rule).optional() }) }),
      artifacts: z.array(artifact).optional(),
      originalUriBaseIds: z.record(z.string(), fileReference).optional(),
      results: z.array(result).nullish(),
    }),
  ),
});

/** A finding of a tool. */
export interface SarifFinding {
  readonly body: NewThreadBody & { readonly type: "finding" };
  readonly author: ThreadAuthor;
  /**
   * The absolute folder to which the path is relative, if the log contains it. It may be a folder of another machine.
   */
  readonly baseFolder?: string;
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
  return parsed.data.runs.flatMap(({ tool: { driver }, artifacts = [], originalUriBaseIds = {}, results }) =>
    (results ?? []).filter(isFinding).map((found) => {
      const { artifactLocation, region: lines } = found.locations?.[0]?.physicalLocation ?? {};
      const named =
        artifactLocation?.uri === undefined ? artifacts[artifactLocation?.index ?? -1]?.location : undefined;
      const file = resolveFile(named ?? artifactLocation, originalUriBaseIds);
      return {
        body: { ...toBody(found, driver.rules ?? []), anchor: toAnchor(file?.path, lines) },
        author: { kind: "tool" as const, name: driver.name },
        ...(file?.baseFolder !== undefined && { baseFolder: file.baseFolder }),
      };
    }),
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

function toBody(found: Result, rules: readonly z.infer<typeof rule>[]): Omit<SarifFinding["body"], "anchor"> {
  const { ruleId, ruleIndex } = found;
  const known = rules[ruleIndex ?? -1] ?? rules.find(({ id }) => id !== undefined && id === ruleId);
  const severity = SEVERITIES[found.level ?? known?.defaultConfiguration?.level ?? "warning"] ?? "warning";
  const content = toText(found.message, known?.messageStrings ?? {});
  const name = ruleId ?? known?.id;
  const markdown = name === undefined ? content || "No message." : `${content}\n\n\`${name}\``.trim();
  return { type: "finding", markdown, severity };
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

type FileReference = z.infer<typeof fileReference>;

/**
 * Returns the path of a file, joined with its relative bases, and the absolute base to which it is relative, if the log
 * contains one (sections 3.4.4 and 3.14.14). A base can have a base itself. A base without a URI is one that the tool
 * did not write into the log, for example the root of the repository.
 */
function resolveFile(
  reference: FileReference | undefined,
  bases: Readonly<Record<string, FileReference>>,
): { readonly path: string; readonly baseFolder?: string } | undefined {
  if (reference?.uri === undefined) return undefined;
  let path = toPath(reference.uri);
  let named: FileReference = reference;
  const used = new Set<string>();
  for (let id = named.uriBaseId; id !== undefined && !isAbsolute(named.uri); id = named.uriBaseId) {
    if (used.has(id) || !Object.hasOwn(bases, id)) break;
    used.add(id);
    named = bases[id] ?? {};
    if (named.uri === undefined) continue;
    if (isAbsolute(named.uri)) return { path, baseFolder: toPath(named.uri) };
    path = posix.join(toPath(named.uri), path);
  }
  return { path };
}

/** Returns whether a URI is absolute: with a scheme, or with an absolute path. */
function isAbsolute(uri: string | undefined): boolean {
  return uri !== undefined && /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(uri);
}

function toAnchor(
  path: string | undefined,
  lines: z.infer<typeof region> | undefined,
): NewThreadBody["anchor"] {
  if (path === undefined) return { kind: "review" };
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

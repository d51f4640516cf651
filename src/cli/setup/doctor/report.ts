import { hostname, userInfo } from "node:os";
import { isSea } from "node:sea";
import { getHomeDirectory, processEnvironment } from "../../../config/paths.ts";
import { effectiveSettings } from "../../../config/proxy/effective.ts";
import { getErrorMessage } from "../../../errors.ts";
import { readProxyConfiguration } from "../../proxy-configuration.ts";
import { version } from "../../version.ts";
import type { DoctorFlags } from "./doctor.ts";
import type { Finding } from "./finding.ts";

/** Texts that a bug report must not contain, and their replacements. */
export type Replacements = ReadonlyMap<string, string>;

/**
 * Returns a bug report in Markdown: versions, findings and settings that are not defaults. Redacts secrets, the home
 * folder, and the names of the host and the user.
 */
export async function formatBugReport(
  findings: readonly Finding[],
  { config }: DoctorFlags,
): Promise<string> {
  const read = await readProxyConfiguration(processEnvironment, { config }, false).catch(
    (error: unknown) => error,
  );
  const isRead = typeof read === "object" && read !== null && "loaded" in read;
  const known = isRead ? (read as Awaited<ReturnType<typeof readProxyConfiguration>>) : undefined;
  const settings = known
    ? effectiveSettings(known.loaded)
        .filter(({ source }) => source !== "default")
        .map(({ key, value, source }) => `${key} = ${JSON.stringify(value)}  (${source})`)
    : [getErrorMessage(read)];
  const kind = isSea() ? "executable" : "package";
  const report = [
    `Sallyport ${version} (${kind}), Node.js ${process.version}, ${process.platform} ${process.arch}`,
    "",
    "| subject | state | detail |",
    "|---|---|---|",
    ...findings.map(
      ({ subject, state, detail }) => `| ${formatCell(subject)} | ${state} | ${formatCell(detail)} |`,
    ),
    "",
    "```text",
    ...(settings.length > 0 ? settings : ["no setting differs from its default"]),
    "```",
  ].join("\n");
  return redact(report, createReplacements(known?.config.secrets ?? []));
}

function createReplacements(secrets: readonly string[]): Replacements {
  const user = readIfPossible(() => userInfo().username);
  const entries: [string, string][] = [
    ...secrets.map((secret): [string, string] => [secret, "[redacted]"]),
    [getHomeDirectory(processEnvironment), "~"],
    [hostname(), "HOST"],
    [user, "USER"],
  ];
  // User names such as "root" and "dev" are also parts of other words.
  return new Map(entries.filter(([text]) => text.length > 3 && text !== "root"));
}

/** Replaces texts, the longest first, because one can contain another. Pure. */
export function redact(text: string, texts: Replacements): string {
  return [...texts]
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** Escapes a text for a cell of a Markdown table. */
function formatCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function readIfPossible(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError } from "../../../errors.ts";
import { toRealPath } from "../../../files/real-path.ts";
import type { ReviewEntry } from "../../../review/api-types.ts";
import { listRunning, type RunningReview, toEntry } from "../../../review/live/running-files.ts";
import type { Output } from "../../output.ts";
import { callReview, toAuthor } from "./call-review.ts";
import { dataFolder, findReview } from "./find-review.ts";
import type { CommentFlags, EndFlags, MessageFlags, RefreshFlags, StatusFlags } from "./program.ts";

const SEVERITIES = ["info", "warning", "error"] as const;

/** Runs `review comment`: adds a finding and prints the id of its thread. */
export async function commentCommand(
  target: string,
  { id, text, severity, author, json }: CommentFlags,
  output: Output,
): Promise<number> {
  const { path, lineStart, lineEnd } = parseLines(target);
  if (severity !== undefined && !SEVERITIES.some((each) => each === severity))
    throw new AppError("usage", `--severity must be ${SEVERITIES.join(", ")}, got "${severity}"`);
  const review = await findReview(id);
  const thread = await callReview(review, {
    method: "POST",
    path: "/api/threads",
    body: {
      anchor: { kind: "lines", path: pathInReview(review, path), side: "new", lineStart, lineEnd },
      type: "finding",
      markdown: await readText(text),
      severity,
      author: toAuthor(author),
    },
  });
  const threadId = getThreadId(thread);
  await output.result(json ? JSON.stringify({ thread: threadId }) : threadId);
  return 0;
}

/** Runs `review reply`: adds a message to a thread, and with --resolve resolves the thread. */
export async function messageCommand(
  thread: string,
  { id, text, resolve: resolves, author, json }: MessageFlags,
  output: Output,
): Promise<number> {
  const review = await findReview(id);
  const path = `/api/threads/${encodeURIComponent(thread)}`;
  const markdown = await readText(text);
  await callReview(review, {
    method: "POST",
    path: `${path}/messages`,
    body: { markdown, author: toAuthor(author) },
  });
  if (resolves) {
    const body = { state: "resolved", author: toAuthor(author) };
    await callReview(review, { method: "PATCH", path, body });
  }
  await output.result(json ? JSON.stringify({ thread, resolved: resolves }) : thread);
  return 0;
}

/** Runs `review refresh`: prints the number of the round. */
export async function refreshCommand({ id, json }: RefreshFlags, output: Output): Promise<number> {
  const result = await callReview(await findReview(id), { method: "POST", path: "/api/refresh" });
  const round = typeof result === "object" && result !== null && "round" in result ? result.round : "";
  await output.result(json ? JSON.stringify({ round }) : `Round ${round}`);
  return 0;
}

/** Runs `review status`. */
export async function statusCommand(
  { id, text, author, json }: StatusFlags,
  output: Output,
): Promise<number> {
  const body = { text, author: toAuthor(author) };
  const review = await findReview(id);
  await callReview(review, { method: "POST", path: "/api/status", body });
  if (json) await output.result(JSON.stringify({ review: review.id, status: text }));
  return 0;
}

/** Runs `review list`: prints the reviews that are open on this machine, newest first. */
export async function listCommand({ json }: { readonly json: boolean }, output: Output): Promise<number> {
  const reviews = (await listRunning(dataFolder())).map(toEntry);
  if (json) await output.result(JSON.stringify({ reviews }));
  else if (reviews.length === 0) output.note("No review is open.");
  else await output.result(reviews.map(describeReview).join("\n"));
  return 0;
}

/** Runs `review end`. */
export async function endCommand({ id, json }: EndFlags, output: Output): Promise<number> {
  const review = await findReview(id);
  await callReview(review, { method: "POST", path: "/api/end" });
  if (json) await output.result(JSON.stringify({ ended: review.id }));
  return 0;
}

function describeReview({ id, mode, live, url, title, repository, agent, since }: ReviewEntry): string {
  const kind = `${live ? "live " : ""}${mode}`;
  return `${id}  ${url}  ${kind}  ${title}\n  ${repository}, for ${agent}, since ${since}`;
}

function getThreadId(thread: unknown): string {
  return typeof thread === "object" && thread !== null && "id" in thread ? String(thread.id) : "";
}

function parseLines(target: string): { path: string; lineStart: number; lineEnd: number } {
  const [, path, first, last = first] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(target) ?? [];
  const [lineStart, lineEnd] = [Number(first), Number(last)];
  if (path === undefined || lineStart < 1 || lineEnd < lineStart)
    throw new AppError("usage", `Expected PATH:LINE or PATH:LINE-LINE, got "${target}"`, {
      hint: "For example: sallyport review comment src/a.ts:10-12 --text TEXT",
    });
  return { path, lineStart, lineEnd };
}

/**
 * Returns a path relative to the repository's root, as the review names it. `path` is relative to the working
 * directory if that is in the repository, or otherwise to the repository's root. Throws `usage` for a path
 * outside of the repository.
 */
export function pathInReview({ repository }: RunningReview, path: string, cwd = process.cwd()): string {
  const root = toRealPath(repository);
  const here = toRealPath(cwd);
  const isInside = here === root || here.startsWith(root + sep);
  const given = resolve(isInside ? here : root, path);
  // The folder is resolved, because git reports the root with links resolved; the file itself may be a link.
  const inner = relative(root, join(toRealPath(dirname(given)), basename(given)));
  if (inner === "" || inner.startsWith(`..${sep}`) || inner === ".." || isAbsolute(inner))
    throw new AppError("usage", `${path} is not inside the repository ${root}`);
  return inner.split(sep).join("/");
}

/** Maximum bytes of a text that is read from stdin. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Returns the text of a flag, or of stdin for `-`. Throws `usage` if the text is empty, or above 16 MiB on stdin. */
async function readText(text: string): Promise<string> {
  const read = text === "-" ? await readStdin() : text;
  if (read.trim() !== "") return read;
  throw new AppError("usage", "The text is empty", {
    hint: "Pass it with --text TEXT, or on stdin with --text -",
  });
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_TEXT_BYTES) throw new AppError("usage", "The text on stdin is larger than 16 MiB");
  }
  return Buffer.concat(chunks).toString();
}

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../errors.ts";
import { isWithin } from "../is-within.ts";

/** The policy that decides which local files /api/image may show. */
export interface ImagePolicy {
  /**
   * Resolves a path from the page to a file, with links resolved. Returns undefined if the file may not be shown.
   * Rejects with the system's error if it does not exist.
   */
  locate(path: string): Promise<string | undefined>;
}

export interface ImagePolicyOptions {
  /** Base of relative paths. */
  readonly cwd: string;
  /**
   * Folders and individual files that may be shown; each request calls `files`, because the files can change.
   * Undefined if only this machine can reach the server: then any local image may be shown, since the person could open
   * it anyway.
   */
  readonly confined?:
    | { readonly folders: readonly string[]; readonly files: () => readonly string[] }
    | undefined;
  readonly platform?: NodeJS.Platform;
}

/** Creates an image policy. */
export function createImagePolicy({
  cwd,
  confined,
  platform = process.platform,
}: ImagePolicyOptions): ImagePolicy {
  return {
    async locate(path) {
      const named = plainPath(path);
      if (isElsewhere(named, platform)) return undefined;
      const file = await realpath(resolve(cwd, named));
      if (!confined) return file;
      const allowed = await Promise.all(
        [...confined.folders, ...confined.files().map((name) => resolve(cwd, plainPath(name)))].map(existing),
      );
      return allowed.some((root) => root !== undefined && isWithin(root, file)) ? file : undefined;
    },
  };
}

/**
 * Reports whether a Windows path leads to another machine or a device. Even reading the status of `\\host\share` logs
 * in to that host, so that a plan could send the person's name and password hash to any host.
 */
function isElsewhere(path: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" && /^[\\/]{2}/.test(path);
}

function plainPath(path: string): string {
  if (/^file:\/\/\//i.test(path)) return fileUrlToPath(path);
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path;
}

function fileUrlToPath(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (cause) {
    throw new AppError("not_found", "File not found", { cause });
  }
}

async function existing(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

/**
 * Returns the paths and `file:` URLs of images in a plan, in Markdown or HTML syntax. No part of a pattern matches
 * beyond the next opening delimiter, which prevents ReDoS.
 */
export function namedImages(plan: string): string[] {
  const markdown = plan.matchAll(/!\[[^[\]]*\]\(\s*(?:<([^<>\n]+)>|([^)\s]+))/g);
  const html = plan.matchAll(/<img\b[^<>]*?\bsrc\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/gi);
  // The group of the syntax that does not occur is undefined.
  const paths = [...markdown, ...html].flatMap((match) => match.slice(1));
  return [...new Set(paths.filter((path) => path && !/^(?!file:)[a-z][a-z0-9+.-]+:|^\/\//i.test(path)))];
}

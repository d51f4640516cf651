import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../errors.ts";
import { isWithin } from "../is-within.ts";

/** Which local files /api/image may show. */
export interface ImagePolicy {
  /** The file a path of the page stands for, links resolved; throws the system's error where there is none. */
  locate(path: string): Promise<string | undefined>;
}

export interface ImagePolicyOptions {
  /** Relative paths start here. */
  readonly cwd: string;
  /**
   * Folders that may be shown from, and files besides, or undefined where only the person's own machine can ask:
   * there any local image will do, as the person could open it just as well.
   */
  readonly confined?: { readonly folders: readonly string[]; readonly files: readonly string[] } | undefined;
  readonly platform?: NodeJS.Platform;
}

/** Resolves paths, and where confined refuses (undefined) those that lead out of the folders, links followed. */
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
        [...confined.folders, ...confined.files.map((name) => resolve(cwd, plainPath(name)))].map(existing),
      );
      return allowed.some((root) => root !== undefined && isWithin(root, file)) ? file : undefined;
    },
  };
}

/**
 * Whether a path leads to another machine or to a device. On Windows merely looking at `\\host\share` has the person
 * log in there, so that a plan could send their name and password's hash to whoever it likes.
 */
function isElsewhere(path: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" && /^[\\/]{2}/.test(path);
}

function plainPath(path: string): string {
  if (/^file:\/\/\//i.test(path)) return pathOfAddress(path);
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path;
}

function pathOfAddress(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (cause) {
    throw new AppError("not_found", "File not found", { cause });
  }
}

async function existing(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

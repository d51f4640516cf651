import { createHash, type Hash } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { type GitPlace, runGit } from "./run-git.ts";

/**
 * Reads objects and compares each one's content with its name, which git itself does not do. Throws `git_failed` for one that
 * is damaged or was replaced: a diff against it would show, and hide, anything.
 */
export async function verifyObjects(
  git: GitPlace,
  objects: readonly string[],
  format: ObjectFormat,
): Promise<void> {
  if (objects.length === 0) return;
  const reader = new BatchReader(format);
  await runGit(git, ["cat-file", "--batch", "--buffer"], {
    input: [...new Set(objects)].map((object) => `${object}\n`).join(""),
    take: (chunk) => reader.write(chunk),
  });
}

/** Reads `NAME TYPE SIZE LF content LF …`, as `git cat-file --batch` prints it. */
class BatchReader {
  private readonly format: ObjectFormat;
  private line = Buffer.alloc(0);
  private current: { readonly name: string; readonly hash: Hash; left: number } | undefined;

  constructor(format: ObjectFormat) {
    this.format = format;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at = this.current ? this.content(chunk, at) : this.header(chunk, at);
  }

  private header(chunk: Buffer, start: number): number {
    const newline = chunk.indexOf(0x0a, start);
    const end = newline === -1 ? chunk.length : newline;
    this.line = Buffer.concat([this.line, chunk.subarray(start, end)]);
    if (newline === -1) return end;
    const [name = "", type = "", size = ""] = this.line.toString("latin1").split(" ");
    this.line = Buffer.alloc(0);
    // The line break behind an object; a missing one has no content, and the diff says what it needs of it.
    if (name === "" || size === "") return end + 1;
    this.current = { name, hash: createHash(this.format).update(`${type} ${size}\0`), left: Number(size) };
    if (this.current.left === 0) this.finish();
    return end + 1;
  }

  private content(chunk: Buffer, start: number): number {
    const { current } = this;
    if (!current) return start;
    const end = Math.min(chunk.length, start + current.left);
    current.hash.update(chunk.subarray(start, end));
    current.left -= end - start;
    if (current.left === 0) this.finish();
    return end;
  }

  private finish(): void {
    const { name, hash } = this.current ?? {};
    this.current = undefined;
    if (!name || hash?.digest("hex") === name) return;
    throw new AppError(
      "git_failed",
      `Object ${name} of the repository has another content than its name says`,
      {
        hint: "It is damaged or was replaced. Run git fsck there, and clone the repository again.",
      },
    );
  }
}

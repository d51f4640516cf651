import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { getReason } from "../../files/durable-file.ts";
import { getTemporaryVariable } from "../../files/temporary-variable.ts";

const PIECE = 1 << 18;
/**
 * Bytes that are collected before they are written: git's output comes in chunks of a few kilobytes, and one write for
 * each would be slow.
 */
const WRITE_AT = 1 << 20;

/**
 * A temporary file with a patch. On POSIX systems, the file has no name once it is open: nothing is left behind, even
 * if the process is killed.
 */
export class Spool {
  /** Bytes appended so far. */
  length = 0;
  private written = 0;
  private pending: Buffer[] = [];
  private readers = 0;
  private closing = false;
  private readonly handle: FileHandle;
  private readonly folder: string;

  private constructor(handle: FileHandle, folder: string) {
    this.handle = handle;
    this.folder = folder;
  }

  static async create(): Promise<Spool> {
    try {
      const folder = await mkdtemp(join(tmpdir(), "sallyport-diff-"));
      const handle = await open(join(folder, "patch"), "wx+", 0o600);
      if (process.platform !== "win32") await rm(folder, { recursive: true, force: true });
      return new Spool(handle, folder);
    } catch (error) {
      throw spoolFailure(error);
    }
  }

  /** Appends bytes. Call `flush` before reading. */
  async append(chunk: Buffer): Promise<void> {
    this.pending.push(chunk);
    this.length += chunk.length;
    if (this.length - this.written >= WRITE_AT) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.handle
        .write(bytes, done, bytes.length - done, this.written)
        .catch((error: unknown) => Promise.reject(spoolFailure(error)));
      done += bytesWritten;
      this.written += bytesWritten;
    }
  }

  /**
   * Keeps the file open for a reader until the returned function is called, even if `close` is called before. Throws
   * `not_found` after `close`.
   */
  hold(): () => void {
    if (this.closing) throw new AppError("not_found", "This diff has been replaced; load it again");
    this.readers += 1;
    let isActive = true;
    return () => {
      if (!isActive) return;
      isActive = false;
      this.readers -= 1;
      if (this.closing) void this.closeUnread();
    };
  }

  /** Yields the bytes of a range in pieces. The caller must hold the file. */
  async *read(offset: number, length: number): AsyncGenerator<Buffer> {
    for (let at = offset; at < offset + length; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, offset + length - at));
      const { bytesRead } = await this.handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new AppError("internal", "The stored diff is truncated");
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  /**
   * Returns the bytes of a range. Reads into `buffer` if it is given; it must have at least `length` bytes. The caller
   * must hold the file.
   */
  async readWhole(offset: number, length: number, buffer?: Buffer): Promise<Buffer> {
    const bytes = buffer?.subarray(0, length) ?? Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new AppError("internal", "The stored diff is truncated");
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.closeUnread();
  }

  private async closeUnread(): Promise<void> {
    if (this.readers > 0) return;
    await this.handle.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function spoolFailure(cause: unknown): AppError {
  const message = `Cannot store the diff in ${tmpdir()}: ${getReason(cause)}. Free space there, or set ${getTemporaryVariable()} to another folder.`;
  return new AppError("storage", message, { cause });
}

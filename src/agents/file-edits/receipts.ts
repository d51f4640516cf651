import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { replaceFile, storageFailure } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";

/** The record of a file that Sallyport wrote: a backup, and the written text, to detect later changes. */
export interface Receipt {
  readonly path: string;
  /** The whole text that an uninstallation restores; undefined if there was no file, or only Sallyport's text in it. */
  readonly original: string | undefined;
  /** The whole text as Sallyport wrote it. */
  readonly written: string;
  /** Folders created for the file, innermost first. */
  readonly madeFolders: readonly string[];
}

export interface ReceiptStore {
  find(path: string): Promise<Receipt | undefined>;
  save(receipt: Receipt): Promise<void>;
  forget(path: string): Promise<void>;
}

const stored = z.object({
  path: z.string(),
  original: z
    .string()
    .nullable()
    .transform((text) => text ?? undefined),
  written: z.string(),
  madeFolders: z.array(z.string()),
});

/**
 * Returns a store of receipts in `folder`, one JSON file each, readable only by the owner: agents keep keys in their
 * settings.
 */
export function createReceiptStore(folder: string): ReceiptStore {
  const getReceiptPath = (path: string) => join(folder, `${sha256(path).slice(0, 16)}.json`);
  return {
    async find(path) {
      try {
        return stored.parse(JSON.parse(await readFile(getReceiptPath(path), "utf8")));
      } catch (error) {
        if (systemErrorCode(error) === "ENOENT") return undefined;
        throw new AppError("storage", `Cannot read the backup of ${path} in ${getReceiptPath(path)}`, {
          cause: error,
          hint: `Move the file away to continue without it. Reason: ${getErrorMessage(error)}`,
        });
      }
    },
    async save(receipt) {
      const text = JSON.stringify({ ...receipt, original: receipt.original ?? null }, null, 2);
      try {
        await makeFolders(folder, 0o700);
        await replaceFile(getReceiptPath(receipt.path), `${text}\n`, 0o600);
      } catch (cause) {
        throw storageFailure(folder, cause);
      }
    },
    async forget(path) {
      await rm(getReceiptPath(path), { force: true });
    },
  };
}

/** Reports whether the file still has the text that Sallyport wrote, so that the receipt's backup can be restored. */
export function isUntouched(receipt: Receipt | undefined, current: string | undefined): receipt is Receipt {
  return receipt !== undefined && receipt.written === current;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

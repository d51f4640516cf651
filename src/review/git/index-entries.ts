import { createHash } from "node:crypto";
import type { ObjectFormat } from "./intent-index.ts";
import type { TrackedEntries, TrackedEntry } from "./staged-entries.ts";

/** Length of an object name in bytes. */
const NAME_BYTES = { sha1: 20, sha256: 32 } as const;
const HEADER_BYTES = 12;
/** Offsets of the fields of an entry (https://git-scm.com/docs/index-format). */
const MODE_AT = 24;
const SIZE_AT = 36;
const OBJECT_AT = 40;
const GITLINK = 0o160000;
const EXTENDED = 0x4000;
const STAGE = 0x3000;

/**
 * Returns the entries of an index of version 2 or 3 as bytes, or undefined for any other file. Extensions are left
 * out because git computes them again.
 */
export function parseIndex(index: Buffer, format: ObjectFormat): Buffer[] | undefined {
  if (index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  const entries: Buffer[] = [];
  const flagsAt = OBJECT_AT + NAME_BYTES[format];
  let start = HEADER_BYTES;
  for (let count = index.readUInt32BE(8); count > 0; count -= 1) {
    if (start + flagsAt + 2 > index.length) return undefined;
    const isExtended = (index.readUInt16BE(start + flagsAt) & EXTENDED) !== 0;
    const nameAt = start + flagsAt + (isExtended ? 4 : 2);
    const nameEnd = index.indexOf(0, nameAt);
    if (nameEnd === -1) return undefined;
    const end = start + ((nameEnd - start + 8) & ~7);
    entries.push(index.subarray(start, end));
    start = end;
  }
  return entries;
}

/** Returns an index with these entries, which must be in git's order. */
export function formatIndex(entries: readonly Buffer[], format: ObjectFormat): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("DIRC", 0, "latin1");
  const flagsAt = OBJECT_AT + NAME_BYTES[format];
  const isExtended = entries.some((entry) => (entry.readUInt16BE(flagsAt) & EXTENDED) !== 0);
  header.writeUInt32BE(isExtended ? 3 : 2, 4);
  header.writeUInt32BE(entries.length, 8);
  const content = Buffer.concat([header, ...entries]);
  return Buffer.concat([content, createHash(format).update(content).digest()]);
}

/**
 * Returns the entries of an index without conflicts, by path, or undefined if `parseIndex` does not support its format.
 */
export function readTracked(index: Buffer, format: ObjectFormat): TrackedEntries | undefined {
  const entries = parseIndex(index, format);
  if (!entries) return undefined;
  const tracked = new Map<string, TrackedEntry>();
  for (const entry of entries) {
    const path = readPath(entry, format);
    const mode = entry.readUInt32BE(MODE_AT).toString(8).padStart(6, "0");
    tracked.set(path, { path: Buffer.from(path, "latin1"), mode, object: readObjectId(entry, format) });
  }
  return tracked;
}

/**
 * Reports whether git has not yet compared the entry's file: its times and size are all zero. Returns false for a
 * conflict or a submodule.
 */
export function isUnread(entry: Buffer, format: ObjectFormat): boolean {
  const flags = entry.readUInt16BE(OBJECT_AT + NAME_BYTES[format]);
  const isKnown = entry.subarray(0, 16).some((byte) => byte !== 0) || entry.readUInt32BE(SIZE_AT) !== 0;
  return !isKnown && (flags & STAGE) === 0 && entry.readUInt32BE(MODE_AT) !== GITLINK;
}

/** Returns the name of the entry's object. */
export function readObjectId(entry: Buffer, format: ObjectFormat): string {
  return entry.toString("hex", OBJECT_AT, OBJECT_AT + NAME_BYTES[format]);
}

/**
 * Returns a copy of the entry with the size of its object, so that git reports a file of another size as changed
 * without reading it.
 */
export function withSize(entry: Buffer, bytes: number): Buffer {
  const copy = Buffer.from(entry);
  // Git truncates sizes above 32 bits in this way.
  copy.writeUInt32BE(bytes % 2 ** 32 || (bytes > 0 ? 0x80000000 : 0), SIZE_AT);
  return copy;
}

/** Returns a copy of the entry as git writes it before it has compared the file. */
export function withoutTimes(entry: Buffer): Buffer {
  const copy = Buffer.from(entry);
  return copy.fill(0, 0, MODE_AT).fill(0, MODE_AT + 4, OBJECT_AT);
}

/** Returns the entry's path as latin1, one character per byte. */
export function readPath(entry: Buffer, format: ObjectFormat): string {
  const flagsAt = OBJECT_AT + NAME_BYTES[format];
  const nameAt = flagsAt + ((entry.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
  return entry.toString("latin1", nameAt, entry.indexOf(0, nameAt));
}

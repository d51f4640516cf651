import { createHash } from "node:crypto";

export type ObjectFormat = "sha1" | "sha256";

/** Maximum name length in the flags of an entry; longer names have this value. */
const MAX_NAME_FLAG = 0xfff;
const EXTENDED = 0x4000;
const INTENT_TO_ADD = 0x2000;
const REGULAR_FILE = 0o100644;

/**
 * Returns a git index that contains only intent-to-add entries for these paths, which have no trailing slash. With this
 * index, `git diff` shows each file as an addition. `git add --intent-to-add` would write objects to the repository and
 * take quadratic time for many paths. Format: https://git-scm.com/docs/index-format, version 3.
 */
export function intentToAddIndex(paths: readonly Buffer[], format: ObjectFormat): Buffer {
  const names = [...paths].sort(Buffer.compare);
  const header = Buffer.alloc(12);
  header.write("DIRC", 0, "latin1");
  header.writeUInt32BE(3, 4);
  header.writeUInt32BE(names.length, 8);
  const content = Buffer.concat([header, ...names.map((name) => entry(name, format))]);
  return Buffer.concat([content, createHash(format).update(content).digest()]);
}

function entry(name: Buffer, format: ObjectFormat): Buffer {
  const objectName = format === "sha1" ? 20 : 32;
  const nameAt = 40 + objectName + 4;
  // An entry ends with 1 to 8 NUL bytes that pad it to a multiple of 8.
  const bytes = Buffer.alloc((nameAt + name.length + 8) & ~7);
  bytes.writeUInt32BE(REGULAR_FILE, 24);
  bytes.writeUInt16BE(EXTENDED | Math.min(name.length, MAX_NAME_FLAG), 40 + objectName);
  bytes.writeUInt16BE(INTENT_TO_ADD, 40 + objectName + 2);
  name.copy(bytes, nameAt);
  return bytes;
}

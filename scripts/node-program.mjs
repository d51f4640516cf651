// Reads platform, architecture and version of a Node.js binary without running it.

/** The marker (fuse) of a single executable. The digit after it is 1 if the executable has contents. */
export const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const ELF = { platform: "linux", processors: { 62: "x64", 183: "arm64" } };
const MACH_O = { platform: "darwin", processors: { 16777223: "x64", 16777228: "arm64" } };
const PE = { platform: "win32", processors: { 34404: "x64", 43620: "arm64" } };

/**
 * Returns `{platform, arch, version}` of a Node.js binary, in Node's terms. Throws if it is not such a binary, does not
 * support single executables, or already has contents.
 */
export function nodeProgram(bytes) {
  const [{ platform, processors }, processor] = headOf(bytes);
  const arch = processors[processor];
  const [, version] = /\/release\/v(\d+\.\d+\.\d+)\/node-v/.exec(bytes.toString("latin1")) ?? [];
  if (!arch || !version)
    throw new Error("The file is not a Node.js binary for Linux, macOS or Windows on x64 or arm64");
  if (!bytes.includes(`${FUSE}:0`))
    throw new Error("The Node.js binary does not support single executables, or already has contents");
  return { platform, arch, version };
}

/**
 * Returns the file format and the processor number from the header. Sources:
 * https://man7.org/linux/man-pages/man5/elf.5.html, Apple's mach-o/loader.h, Microsoft's PE format.
 */
function headOf(bytes) {
  const start = bytes.length < 64 ? 0 : bytes.readUInt32BE(0);
  if (start === 0x7f454c46) return [ELF, bytes.readUInt16LE(18)];
  if (start === 0xcffaedfe) return [MACH_O, bytes.readUInt32LE(4)];
  const header = start >>> 16 === 0x4d5a ? bytes.readUInt32LE(60) : bytes.length;
  if (header + 6 <= bytes.length && bytes.readUInt32BE(header) === 0x50450000)
    return [PE, bytes.readUInt16LE(header + 4)];
  throw new Error("The file is not an executable of Linux, macOS or Windows");
}

/** Throws unless the program has the marker and the contents. */
export function expectFilled(bytes, contents) {
  if (!bytes.includes(`${FUSE}:1`)) throw new Error("The program is not marked as a single executable");
  if (!bytes.includes(contents)) throw new Error("The contents of the program are missing");
}

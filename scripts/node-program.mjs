// What a Node.js program says of itself without being run, which on another machine's it cannot be.

/** Where the single executable's contents are announced; the digit after it says whether there are any. */
export const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const ELF = { platform: "linux", processors: { 62: "x64", 183: "arm64" } };
const MACH_O = { platform: "darwin", processors: { 16777223: "x64", 16777228: "arm64" } };
const PE = { platform: "win32", processors: { 34404: "x64", 43620: "arm64" } };

/**
 * Gives `{platform, arch, version}` of the Node.js program with these bytes, in Node's own names. Throws for what is none
 * that can be filled.
 */
export function nodeProgram(bytes) {
  const [{ platform, processors }, processor] = headOf(bytes);
  const arch = processors[processor];
  const [, version] = /\/release\/v(\d+\.\d+\.\d+)\/node-v/.exec(bytes.toString("latin1")) ?? [];
  if (!arch || !version) throw new Error("It is no Node.js for linux, macOS or Windows on x64 or arm64");
  if (!bytes.includes(`${FUSE}:0`)) throw new Error("It has no room for contents, or is filled already");
  return { platform, arch, version };
}

/** Kind of file and number of the processor. https://man7.org/linux/man-pages/man5/elf.5.html, Apple's mach-o/loader.h, Microsoft's PE format */
function headOf(bytes) {
  const start = bytes.length < 64 ? 0 : bytes.readUInt32BE(0);
  if (start === 0x7f454c46) return [ELF, bytes.readUInt16LE(18)];
  if (start === 0xcffaedfe) return [MACH_O, bytes.readUInt32LE(4)];
  const header = start >>> 16 === 0x4d5a ? bytes.readUInt32LE(60) : bytes.length;
  if (header + 6 <= bytes.length && bytes.readUInt32BE(header) === 0x50450000)
    return [PE, bytes.readUInt16LE(header + 4)];
  throw new Error("It is no program");
}

/** Throws unless the program announces its contents and has them. */
export function expectFilled(bytes, contents) {
  if (!bytes.includes(`${FUSE}:1`)) throw new Error("The program does not announce its contents");
  if (!bytes.includes(contents)) throw new Error("The program lacks its contents");
}

import { expect, it } from "vitest";
import { expectFilled, FUSE, nodeProgram } from "../../scripts/node-program.mjs";

const REST = `${FUSE}:0 https://nodejs.org/download/release/v20.20.2/node-v20.20.2.tar.gz`;

/** The first bytes of a program, and the texts that every Node.js binary contains. */
function program(head: (bytes: Buffer) => void, rest = REST): Buffer {
  const bytes = Buffer.alloc(256);
  head(bytes);
  return Buffer.concat([bytes, Buffer.from(rest)]);
}

const elf = (processor: number) => (bytes: Buffer) => {
  bytes.writeUInt32BE(0x7f454c46);
  bytes.writeUInt16LE(processor, 18);
};
const machO = (processor: number) => (bytes: Buffer) => {
  bytes.writeUInt32BE(0xcffaedfe);
  bytes.writeUInt32LE(processor, 4);
};
const pe = (processor: number) => (bytes: Buffer) => {
  bytes.write("MZ");
  bytes.writeUInt32LE(128, 60);
  bytes.write("PE\0\0", 128);
  bytes.writeUInt16LE(processor, 132);
};

it.each([
  ["linux", "x64", elf(0x3e)],
  ["linux", "arm64", elf(0xb7)],
  ["darwin", "x64", machO(0x01000007)],
  ["darwin", "arm64", machO(0x0100000c)],
  ["win32", "x64", pe(0x8664)],
  ["win32", "arm64", pe(0xaa64)],
])("tells a Node.js for %s on %s from its file", (platform, arch, head) => {
  expect(nodeProgram(program(head))).toEqual({ platform, arch, version: "20.20.2" });
});

it.each([
  ["text", Buffer.from("#!/bin/sh\n")],
  ["a long text", Buffer.from("MZ".repeat(200))],
  ["another processor", program(elf(0x28))],
  ["another program", program(elf(0x3e), `${FUSE}:0`)],
  ["a program that is filled already", program(elf(0x3e), REST.replace(":0", ":1"))],
])("refuses %s", (_what, bytes) => {
  expect(() => nodeProgram(bytes)).toThrow(/^The (?:file is not|Node\.js binary does not support)/);
});

it("sees whether a program has its contents and says so", () => {
  const contents = Buffer.from("pages and parts");
  expect(() => expectFilled(Buffer.from(`${FUSE}:1 ${contents}`), contents)).not.toThrow();
  expect(() => expectFilled(Buffer.from(`${FUSE}:0 ${contents}`), contents)).toThrow("is not marked");
  expect(() => expectFilled(Buffer.from(`${FUSE}:1`), contents)).toThrow("are missing");
});

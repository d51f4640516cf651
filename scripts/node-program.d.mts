export const FUSE: string;
export function nodeProgram(bytes: Buffer): { platform: NodeJS.Platform; arch: string; version: string };
export function expectFilled(bytes: Buffer, contents: Buffer): void;

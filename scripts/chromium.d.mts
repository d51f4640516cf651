export const HOW_TO_INSTALL: string;
export function findChromium(): string | undefined;
export function ensureChromium(): Promise<void>;

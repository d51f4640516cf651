export function findChromium(): string | undefined;
export function installChromium(root: string): void;

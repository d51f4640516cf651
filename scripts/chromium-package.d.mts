export function extractChromium(folder: string, npm: (args: readonly string[], cwd: string) => void): string;

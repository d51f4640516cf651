export function unpackChromium(folder: string, npm: (args: readonly string[], cwd: string) => void): string;

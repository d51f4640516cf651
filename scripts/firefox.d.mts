export function findFirefox(environment?: NodeJS.ProcessEnv, folder?: string): string | undefined;
export function ensureFirefox(): Promise<void>;

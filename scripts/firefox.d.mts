export function findFirefox(environment?: NodeJS.ProcessEnv): string | undefined;
export function ensureFirefox(): Promise<void>;

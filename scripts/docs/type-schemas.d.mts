export function readTypeSchemas(paths: readonly string[]): Record<string, unknown>;

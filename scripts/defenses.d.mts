export const defences: readonly (readonly [row: string, tests: string, ...changes: string[]])[];

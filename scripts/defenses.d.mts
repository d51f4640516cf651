export const defenses: readonly (readonly [row: string, tests: string, ...changes: string[]])[];

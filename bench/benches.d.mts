export function tablesIn(text: string): Record<string, string>[][];

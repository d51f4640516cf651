export function findWebKit():
  | { readonly driver: string; readonly browser: string; readonly xvfb: string }
  | undefined;
export function ensureWebKit(): Promise<void>;

export function firstLoad(
  folder: string,
  page: string,
): readonly { readonly file: string; readonly bytes: number }[];
export function checkFirstLoad(folder: string, page: string, limit: number): void;

/** Gives headings their ids: as GitHub does, each once. */
export function slugger(): (text: string) => string {
  const used = new Set<string>();
  /** The number that a base was last given, so that many headings of one name are not counted through again. */
  const numbers = new Map<string, number>();
  return (text) => {
    const base =
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s+/g, "-") || "section";
    let id = base;
    let number = numbers.get(base) ?? 0;
    while (used.has(id)) {
      number += 1;
      id = `${base}-${number}`;
    }
    numbers.set(base, number);
    used.add(id);
    return id;
  };
}
